import { userInfo } from "node:os"
import { describe, expect, it } from "vitest"
import * as Person from "../../../src/cli/terminal/Person.js"

describe("who is at the keyboard", () => {
  it("has the name of the user, or the number where a container knows no name", () => {
    expect(Person.name()).toBe(userInfo().username)
    const nameless = () => {
      throw new Error("uv_os_get_passwd returned ENOENT")
    }
    expect(Person.name(nameless)).toBe(`user ${userInfo().uid}`)
  })
})
