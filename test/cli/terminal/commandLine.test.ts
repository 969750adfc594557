/** What is no command, no option, or no value: told with what was probably meant, and where to read on. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import * as Program from "../../../src/cli/Program.js"

const said = async (...words: ReadonlyArray<string>) => {
  let text = ""
  const err = (part: string) => {
    text += part
  }
  const code = await Effect.runPromise(Program.within(words, { out: err, err }))
  return [code, text]
}

it("names the option that an unknown one is near to, and the command's help", async () => {
  expect(await said("plan", "--frmat", "json")).toEqual([
    1,
    "bidhelm: plan has no option --frmat. Did you mean --format? See: bidhelm plan --help\n"
  ])
  expect(await said("plan", "--detailed-exit-code")).toEqual([
    1,
    "bidhelm: plan has no option --detailed-exit-code. Did you mean --detailed-exitcode? See: bidhelm plan --help\n"
  ])
  expect(await said("account", "rebind", "main", "--jsn")).toEqual([
    1,
    "bidhelm: account rebind has no option --jsn. Did you mean --json? See: bidhelm account rebind --help\n"
  ])
})

it("names the unknown option of a command that has parts, where none of them is typed", async () => {
  for (const name of ["orders", "supplies", "passes", "units"])
    expect(await said(name, "--bogus")).toEqual([
      1,
      `bidhelm: ${name} has no option --bogus. See: bidhelm ${name} --help\n`
    ])
  expect(await said("orders", "--wach")).toEqual([
    1,
    "bidhelm: orders has no option --wach. Did you mean --watch? See: bidhelm orders --help\n"
  ])
  expect(await said("orders", "history", "1", "--bogus")).toEqual([
    1,
    "bidhelm: orders history has no option --bogus. See: bidhelm orders history --help\n"
  ])
})

it("suggests nothing where nothing is near", async () => {
  expect(await said("plan", "--no-such-thing=3")).toEqual([
    1,
    "bidhelm: plan has no option --no-such-thing. See: bidhelm plan --help\n"
  ])
})

it("takes no misspelt option for the name of a plan", async () => {
  expect(await said("apply", "--yse")).toEqual([
    1,
    "bidhelm: apply has no option --yse. Did you mean --yes? See: bidhelm apply --help\n"
  ])
})

it("says that an option lacks its value, and which there are", async () => {
  expect(await said("plan", "--format")).toEqual([
    1,
    "bidhelm: --format needs a value behind it: text, json, markdown, html. See: bidhelm plan --help\n"
  ])
  expect(await said("plan", "--out", "--json")).toEqual([
    1,
    "bidhelm: --out needs a value behind it; --json is another option. See: bidhelm plan --help\n"
  ])
  expect(await said("history", "--export=")).toEqual([
    1,
    "bidhelm: --export needs a value behind it. See: bidhelm history --help\n"
  ])
})

it("names the option whose value is none of its choices, or no number", async () => {
  expect(await said("plan", "--format", "pdf")).toEqual([
    1,
    "bidhelm: --format pdf: choose one of text, json, markdown, html. See: bidhelm plan --help\n"
  ])
  expect(await said("test", "--coverage-min", "most")).toEqual([
    1,
    "bidhelm: --coverage-min most: write a whole number. See: bidhelm test --help\n"
  ])
  expect(await said("--log-level", "loud", "plan")).toEqual([
    1,
    "bidhelm: --log-level loud: choose one of all, trace, debug, info, warning, error, fatal, none\n"
  ])
})

it("names the command that an unknown one is near to", async () => {
  expect(await said("aplly", "plan.json")).toEqual([
    1,
    'bidhelm: there is no command "aplly". Did you mean apply? See: bidhelm --help\n'
  ])
  expect(await said("account", "rebnd", "main")).toEqual([
    1,
    'bidhelm: there is no command "account rebnd". Did you mean rebind? See: bidhelm account --help\n'
  ])
})

it("says where to read on after what the library itself refuses", async () => {
  expect(await said("orders", "cancel")).toEqual([
    1,
    expect.stringMatching(/<ID>\nSee: bidhelm orders cancel --help\n$/)
  ])
})

it("says which word behind a command is missing, is too many, or is no choice", async () => {
  for (const [typed, why] of [
    ["undo", "undo needs RUN|CHANGE. See: bidhelm undo --help"],
    ["units add", "units add needs SUPPLY and N. See: bidhelm units add --help"],
    ["labels print --json", "labels print needs SUPPLY. See: bidhelm labels print --help"],
    ["supplies move 1", "supplies move needs --to. See: bidhelm supplies move --help"],
    ["plan extra", 'plan does not take "extra". See: bidhelm plan --help'],
    ["units A B", 'units does not take "B". See: bidhelm units --help'],
    [
      "call --list x",
      '--list lists every operation and takes no "x"; all about one: bidhelm call x --describe'
    ],
    [
      "schema foo",
      "schema foo: choose one of policy, limits, vars, templates, facts, fulfilment, tests, plan. See: bidhelm schema --help"
    ]
  ] as const)
    expect(await said(...typed.split(" "))).toEqual([1, `bidhelm: ${why}\n`])
})

it("leaves alone what only looks like an option", async () => {
  const none = ["--config", "/nowhere/bidhelm.yaml"]
  for (const words of [
    ["history", "--export", "-", ...none],
    ["hold", "--why", "-10% is wrong", "--policy=a", ...none],
    ["apply", "-y", "--max-wait=10m", ...none],
    ["orders", "--watch", "--every", "1m", ...none],
    ["--log-level", "error", "plan", "--json", ...none]
  ]) {
    const [code, text] = await said(...words)
    expect([words, code, text]).toEqual([
      words,
      1,
      expect.stringContaining("there is no /nowhere/bidhelm.yaml")
    ])
  }
})
