/** What `hold`, `kill` and `resume` say of what is there already, of what is not, and of a reason that steers terminals. */
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Plan } from "../../../src/engine/decide/Plan.js"
import { Shop } from "../Shop.js"

let shop: Shop
beforeAll(async () => {
  shop = await Shop.open()
})
afterAll(() => shop.close())

const planned = async (): Promise<Plan> => JSON.parse((await shop.run("plan", "--format", "json")).stdout)

describe("a hold", () => {
  it("refuses a hold on a policy of which nobody has heard, names those there are, and places nothing", async () => {
    const mistaken = await shop.run("hold", "--policy", "raise")
    expect([mistaken.code, mistaken.stdout]).toEqual([1, ""])
    expect(mistaken.stderr).toMatch(
      /^bidhelm: nothing was put on hold: there is no policy raise; there are: 0\d-/
    )
    expect((await shop.run("holds")).stdout.trim()).toBe("nothing of main is on hold")
    const id = (await planned()).policies[0]!.id
    for (const one of [id, "call"]) {
      const { code, stderr } = await shop.run("hold", "--policy", one)
      expect([code, stderr]).toEqual([0, expect.not.stringContaining("no rule has the id")])
      await shop.run("resume", "--policy", one)
    }
  })
})

describe("a second hold of the same scope", () => {
  it("says which hold it took the place of, with its reason, and that the new one ends earlier", async () => {
    const hold = ["hold", "--target", "777"]
    const first = await shop.run(...hold, "--for", "3d", "--why", "photo shoot")
    expect(first.stderr).not.toContain("took the place")
    const second = await shop.run(...hold, "--for", "1h", "--why", "stock")
    expect(second.stderr).toMatch(
      /^It took the place of one that stood: on hold by .+, until .+: photo shoot\. Attention: the new one ends earlier\.$/m
    )
    const third = await shop.run(...hold, "--json")
    expect(JSON.parse(third.stdout)).toMatchObject({ replaced: { what: "777", why: "stock" } })
    const fourth = await shop.run(...hold)
    expect(fourth.stderr).toMatch(/^It took the place of one that stood: on hold by .+ since [^,]+\.$/m)
    await shop.run("resume", "--target", "777")
    expect((await shop.run(...hold)).stderr).not.toContain("took the place")
    await shop.run("resume", "--target", "777")
  })
})

describe("a kill that may have missed the program that sends", () => {
  const here = "bidhelm.yaml"

  it("says so when its store knows nothing of the account, and names the file STOP", async () => {
    const before = shop.read(here)
    await shop.run("plan")
    expect((await shop.run("kill")).stderr).not.toContain("Attention")
    shop.write(here, `${before.replace(/^store:.*\n/m, "")}\nstore: sqlite:other/bidhelm.sqlite\n`)
    for (const command of ["kill", "hold"]) {
      const { code, stderr } = await shop.run(command)
      expect([code, stderr]).toEqual([
        0,
        expect.stringMatching(
          /^Attention: nothing was ever planned for main with the store other\/bidhelm\.sqlite\. .*TERM, or make the file STOP beside its store\.$/m
        )
      ])
    }
    shop.write(here, before)
    await shop.run("resume", "--kill")
  })

  it("says that nothing was stopped, and what stops it, when the configuration is broken, missing or a folder", async () => {
    const path = join(shop.folder, here)
    const before = shop.read(here)
    const breaks = [
      () => shop.write(here, "version: 1\naccounts: nobody\n"),
      () => rmSync(path),
      () => mkdirSync(path)
    ]
    for (const damage of breaks) {
      damage()
      const { code, stderr } = await shop.run("kill")
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(
          /^Nothing was stopped\. Without bidhelm\.yaml: .*TERM, or make the file STOP beside its store, which is \.bidhelm\/STOP unless/m
        )
      ])
    }
    rmSync(path, { recursive: true })
    shop.write(here, before)
  })
})

describe("with several accounts", () => {
  const here = "bidhelm.yaml"

  it("the way to lift a kill or a hold names the account, and a kill of none says that nothing was stopped", async () => {
    const before = shop.read(here)
    const second = before.replace(
      /^accounts:\n/m,
      'accounts:\n  - name: "second"\n    token: {env: BIDHELM_TOKEN}\n    sandbox: true\n'
    )
    shop.write(here, second)
    const { code, stderr, stdout } = await shop.run("kill")
    expect([code, stdout]).toEqual([1, ""])
    expect(stderr).toMatch(/^Nothing was stopped\.$/m)
    for (const [words, resume] of [
      [["kill"], "bidhelm resume --kill --account main"],
      [["hold", "--target", "777"], "bidhelm resume --target 777 --account main"]
    ] as const) {
      expect((await shop.run(...words, "--account", "main")).stderr).toContain(`Lift it with: ${resume}`)
      expect((await shop.run("holds", "--account", "main")).stdout).toContain(`resume with: ${resume}`)
      await shop.run(...resume.split(" ").slice(1))
    }
    expect((await shop.run("holds", "--account", "main")).stdout).toContain("nothing of main is on hold")
    shop.write(here, before)
    expect((await shop.run("kill")).stderr).toMatch(/Lift it with: bidhelm resume --kill$/m)
    await shop.run("resume", "--kill")
  })
})

describe("the kill switch", () => {
  it("a second kill keeps the beginning, and the reason unless it has one of its own", async () => {
    const first = await shop.run("kill", "--why", "looks wrong")
    expect(first.stderr).not.toContain("on already")
    const standing = async () => JSON.parse((await shop.run("holds", "--json")).stdout).holds
    const [{ since }] = await standing()
    await shop.advance(3_600_000)
    const second = await shop.run("kill")
    expect([second.code, second.stdout]).toEqual([0, first.stdout])
    expect(second.stderr).toMatch(/^It was on already\./)
    expect(await standing()).toMatchObject([{ kind: "kill", since, why: "looks wrong" }])
    const third = await shop.run("kill", "--why", "bids look wrong", "--json")
    expect(JSON.parse(third.stdout).hold).toMatchObject({ since, why: "bids look wrong" })
    expect(await standing()).toMatchObject([{ since, why: "bids look wrong" }])
    expect((await shop.run("history", "--verify")).code).toBe(0)
    await shop.run("resume", "--kill")
    expect(await standing()).toEqual([])
  })

  it("a reason steers no terminal, and a call that it stops says that its time is UTC", async () => {
    const bid = { nm_id: 200_000_001, bid_kopecks: 41_000, placement: "search" }
    const params = JSON.stringify({ bids: [{ advert_id: 1_000_001, nm_bids: [bid] }] })
    const created = JSON.stringify({ name: "Spring", nms: [200_000_001] })
    for (const words of [["kill"], ["hold"]]) {
      const held = await shop.run(...words, "--why", "x\u001b[31mred")
      expect(held.stdout).toContain(": x·[31mred")
      for (const [operation, what] of [
        ["setItemBids", params],
        ["createCampaign", created]
      ] as const) {
        const refused = await shop.run("call", operation, "--params", what, "--yes")
        expect([refused.code, refused.stdout]).toEqual([1, ""])
        expect(refused.stderr).toMatch(/^bidhelm: not sent: .*on hold by .*: x·\[31mred[ ;]/)
      }
      if (words[0] === "kill") {
        const refused = await shop.run("call", "setItemBids", "--params", params, "--yes")
        expect(refused.stderr).toMatch(/since 2026-09-01 \d\d:\d\d UTC: /)
      }
      const { stdout } = await shop.run("plan")
      expect(stdout).toContain("x·[31mred")
      expect(stdout).not.toContain("\u001b[31mred")
      await shop.run("resume", ...(words[0] === "kill" ? ["--kill"] : []))
    }
  })
})
