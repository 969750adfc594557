import { describe, expect, it } from "vitest"
import { Workspace } from "../../src/editor/Workspace.js"
import type { File } from "../../src/engine/language/Load.js"

const policy = "version: 1\nname: a\neach: cluster\n"

const workspace = (files: Array<File>) => {
  const asked: Array<string> = []
  const made = new Workspace("/shop", {
    rulesFolder: (root) => `${root}/my rules`,
    read: async (folder) => {
      asked.push(folder)
      return files.filter(({ path }) => path.startsWith(`${folder}/`))
    }
  })
  return { made, asked }
}

describe("the files that belong together", () => {
  it("are those of the configured folder, as they are being edited", async () => {
    const disk = [
      { path: "/shop/my rules/a.yaml", text: policy },
      { path: "/shop/my rules/tests/a.test.yaml", text: "version: 1\n" }
    ]
    const { made } = workspace(disk)
    const first = await made.project("my rules/a.yaml")
    expect([...first.pages.keys()]).toEqual(["my rules/a.yaml", "my rules/tests/a.test.yaml"])
    made.put({ uri: "file:///shop/my%20rules/a.yaml", text: `${policy}# new\n` })
    const second = await made.project("my rules/a.yaml")
    expect(second.page("my rules/a.yaml")?.sheet.file.text).toBe(`${policy}# new\n`)
    // What did not change is not read again.
    const test = "my rules/tests/a.test.yaml"
    expect(second.page(test)).toBe(first.page(test))
    made.close("file:///shop/my%20rules/a.yaml")
    const third = await made.project("my rules/a.yaml")
    expect(third.page("my rules/a.yaml")?.sheet.file.text).toBe(policy)
  })

  it("are read again when the disk changed meanwhile", async () => {
    const disk: Array<File> = [{ path: "/shop/my rules/a.yaml", text: policy }]
    const { made } = workspace(disk)
    const early = made.project("my rules/a.yaml")
    disk.push({ path: "/shop/my rules/b.yaml", text: policy })
    made.refresh()
    expect((await early).pages.size).toBe(2)
  })

  it("may end in capitals", async () => {
    const { made } = workspace([{ path: "/shop/my rules/A.YAML", text: policy }])
    made.put({ uri: "file:///shop/my%20rules/B.YML", text: policy })
    const { pages } = await made.project("my rules/A.YAML")
    expect([...pages.keys()]).toEqual(["my rules/A.YAML", "my rules/B.YML"])
  })

  it("never include what is hidden in the folder of rules", async () => {
    const { made } = workspace([{ path: "/shop/my rules/a.yaml", text: policy }])
    for (const name of [".a.yaml", ".old/b.yaml", "tests/.a.test.yaml"])
      made.put({ uri: `file:///shop/my%20rules/${name}`, text: policy })
    expect([...(await made.project("my rules/a.yaml")).pages.keys()]).toEqual(["my rules/a.yaml"])
  })

  it("never include YAML that is no rule, nor folders that hold anything", async () => {
    const { asked, made } = workspace([])
    for (const [uri, text] of [
      ["file:///shop/bidhelm.yaml", "version: 1\naccounts: []\n"],
      ["file:///shop/docker-compose.yaml", "version: 1\nservices: {}\n"],
      ["file:///shop/k8s.yaml", "apiVersion: v1\nkind: Service\n"],
      ["file:///shop/my rules/cost.csv", "nm;cost\n"]
    ] as const) {
      made.put({ uri: encodeURI(uri), text })
      expect((await made.project(made.pathOf(encodeURI(uri)))).pages.size).toBe(0)
    }
    expect(made.active).toEqual([])
    made.put({ uri: "file:///elsewhere/draft.yaml", text: policy })
    made.put({ uri: "untitled:Untitled-1", text: policy })
    expect(made.active).toEqual(["/elsewhere/draft.yaml", "untitled:Untitled-1"])
    expect((await made.project("untitled:Untitled-1")).pages.size).toBe(1)
    expect(asked.filter((folder) => folder !== "/shop/my rules")).toEqual([])
  })

  it("keep the editor's own spelling of an address", () => {
    const { made } = workspace([])
    const uri = "file:///shop/my%20rules/%D0%BA.yaml"
    made.put({ uri, text: policy })
    expect(made.pathOf(uri)).toBe("my rules/к.yaml")
    expect(made.uriOf("my rules/к.yaml")).toBe(uri)
    expect(made.uriOf("my rules/b.yaml")).toBe("file:///shop/my%20rules/b.yaml")
  })
})
