import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { describe, expect, it } from "vitest"
import * as Config from "../../../src/cli/config/Config.js"
import * as Workspace from "../../../src/cli/config/Workspace.js"
import * as Source from "../../../src/engine/language/yaml/Source.js"

const good = `version: 1
accounts:
  - name: main
    token: {env: BIDHELM_TOKEN}
hosts:
  advert: https://advert.example/
  calendar: https://calendar.example
`

/** All that a person is shown of a configuration that is refused. */
const shown = (text: string): string => {
  const refused = Config.read("bidhelm.yaml", text)
  if (Either.isRight(refused)) throw new Error(`accepted: ${text}`)
  return [
    ...refused.left.problems.flatMap((p) => [p.message, p.fix ?? ""]),
    ...refused.left.source.lineStarts.map((_, i) => Source.line(refused.left.source, i + 1))
  ].join("\n")
}

/** `line: message` of every problem. */
const problems = (text: string): ReadonlyArray<string> =>
  Either.match(Config.read("shop/bidhelm.yaml", text), {
    onLeft: (refused) => refused.problems.map((p) => `${p.span.line}: ${p.message}`),
    onRight: () => []
  })

describe("the configuration", () => {
  it("fills in what is left out, relative to its own folder", () => {
    expect(Either.getOrThrow(Config.read("shop/bidhelm.yaml", good))).toEqual({
      accounts: [
        {
          name: "main",
          token: { _tag: "Environment", name: "BIDHELM_TOKEN" },
          tokenKind: undefined,
          sandbox: false
        }
      ],
      hosts: { advert: "https://advert.example", calendar: "https://calendar.example" },
      header: { name: "Authorization", scheme: "Bearer" },
      word: "platform",
      timeZone: "Europe/Moscow",
      currency: "RUB",
      store: { _tag: "Sqlite", path: "shop/.bidhelm/bidhelm.sqlite" },
      storePath: "shop/.bidhelm/bidhelm.sqlite",
      rulesFolder: "shop/rules",
      maxWaitMs: undefined,
      keep: { plansDays: 90, journalDays: 400, reportsDays: 30 },
      bidStep: {}
    })
  })

  it("means the file that a link of the store leads to, also before there is one", () => {
    const folder = mkdtempSync(join(tmpdir(), "bidhelm-config-"))
    try {
      mkdirSync(join(folder, ".bidhelm"))
      symlinkSync("../../disk/main.sqlite", join(folder, ".bidhelm", "bidhelm.sqlite"))
      const config = Either.getOrThrow(Config.read(join(folder, "bidhelm.yaml"), good))
      const file = resolve(folder, "..", "disk/main.sqlite")
      expect([config.store, config.storePath]).toEqual([{ _tag: "Sqlite", path: file }, file])
      expect(config.storeLink).toBe(join(folder, ".bidhelm", "bidhelm.sqlite"))
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it("means the file that such a link leads to from a folder that is a link itself", () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "bidhelm-config-")))
    try {
      mkdirSync(join(folder, "disk/data"), { recursive: true })
      symlinkSync("disk/data", join(folder, ".bidhelm"))
      symlinkSync("../main.sqlite", join(folder, "disk/data/bidhelm.sqlite"))
      const config = Either.getOrThrow(Config.read(join(folder, "bidhelm.yaml"), good))
      expect(config.storePath).toBe(join(folder, "disk/main.sqlite"))
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it("takes no key without a value for one that is left out", () => {
    for (const none of ["", " ~", " null"]) {
      expect(problems(`${good}store:${none}\nkeep: {plans_days:${none === "" ? " ~" : none}}\n`)).toEqual([
        "8: store: has no value. Give it one, or leave it out.",
        "9: plans_days: has no value. Give it one, or leave it out."
      ])
      expect(problems(good.replace(/hosts:\n(.*\n)*/, `hosts:${none}\n`))).toEqual([
        "5: hosts: has no value. Give it one, or leave it out."
      ])
    }
    const unknown = shown(good.replace("{env: BIDHELM_TOKEN}", "{s3cr3tWord1: ~}"))
    expect(unknown).not.toContain("s3cr3t")
  })

  it("takes account names of any script, in one spelling of their accents", () => {
    for (const name of ["Магазин", "दुकान", "ร้านค้า", "店舗", "חנות", "كشك", "한국상점", "Ma_1.x-2"])
      expect(problems(good.replace("main", name)), name).toEqual([])
    const decomposed = "Йод".normalize("NFD")
    const config = Either.getOrThrow(Config.read("bidhelm.yaml", good.replace("main", decomposed)))
    expect(config.accounts[0]?.name).toBe("Йод")
    const found = Workspace.account(config, Option.some(decomposed))
    expect(Effect.runSync(found).name).toBe("Йод")
    expect(problems(good.replace("main", '"a b"'))).toEqual([
      "3: A name of letters of any script, digits, dots and dashes, without spaces."
    ])
  })

  it("reads every key", () => {
    const text = `${good}header: {name: X-Token, scheme: ""}
word: market
time_zone: Asia/Almaty
currency: KZT
store: sqlite:/var/lib/bidhelm.sqlite
rules: my-rules
max_wait: 10m
bid_step: {cpm: 1 ₽, cpc: "0.50"}
`.replace("token: {env: BIDHELM_TOKEN}", "token: {file: secret/token}\n    token_kind: base")
    const config = Either.getOrThrow(Config.read("shop/bidhelm.yaml", text))
    expect(config.accounts[0]).toMatchObject({
      token: { _tag: "File", path: "shop/secret/token" },
      tokenKind: "base"
    })
    expect(config).toMatchObject({
      header: { name: "X-Token", scheme: "" },
      word: "market",
      timeZone: "Asia/Almaty",
      currency: "KZT",
      store: { _tag: "Sqlite", path: "/var/lib/bidhelm.sqlite" },
      storePath: "/var/lib/bidhelm.sqlite",
      rulesFolder: "shop/my-rules",
      maxWaitMs: 600_000,
      bidStep: { cpm: 100, cpc: 50 }
    })
  })

  it("names all problems at once, each at its line", () => {
    const text = `version: 1
acounts: []
accounts:
  - name: main
    tokn: 5
    token: {env: "not a name"}
hosts: {advert: http://advert.example, calendar: https://calendar.example}
time_zone: MSK
max_wait: soon
currency: roubles
`
    expect(problems(text)).toEqual([
      '2: Unknown key "acounts". Did you mean accounts?',
      '5: Unknown key "tokn". Did you mean token?',
      "6: The name of an environment variable, such as BIDHELM_TOKEN.",
      "7: A host is an https:// address; http:// only for a sandbox on this machine.",
      "8: Name a city: Europe/Moscow.",
      "9: A duration: 90s, 10m, 2h.",
      "10: Three capital letters: RUB."
    ])
  })

  it("takes as many accounts as fit into its file, and says of more that there are too many", () => {
    const withAccounts = (count: number) => {
      const line = (_: unknown, i: number) =>
        `  - {name: shop-${i + 1}, token: {env: TOKEN_${i + 1}}, token_kind: base}\n`
      return good.replace(/ {2}- name: main\n.*\n/, Array.from({ length: count }, line).join(""))
    }
    const read = Config.read("bidhelm.yaml", withAccounts(3_500))
    expect(Either.getOrThrow(read).accounts).toHaveLength(3_500)
    expect(problems(withAccounts(5_000))).toEqual([
      expect.stringMatching(/^1: The file is larger than 256 KiB/)
    ])
  })

  it("says what is missing", () => {
    expect(problems("version: 1\naccounts:\n  - name: main\n")).toEqual([
      "1: hosts is missing here.",
      "3: accounts.0.token is missing here."
    ])
  })

  it("refuses a token written into it and never repeats one", () => {
    const secret = "eyJhbGciOiJIUzI1NiJ9.eyJzaWQiOiIxIn0.c2lnbmF0dXJl"
    for (const line of [
      `token: ${secret}`,
      "token: hunter2hunter2",
      `tokn: ${secret}`,
      `token: {env: ${secret}}`
    ]) {
      const refused = Config.read("bidhelm.yaml", good.replace("token: {env: BIDHELM_TOKEN}", line))
      if (Either.isRight(refused)) throw new Error(`accepted: ${line}`)
      expect(refused.left.problems.length).toBeGreaterThan(0)
      const said = [
        ...refused.left.problems.flatMap((p) => [p.message, p.fix ?? ""]),
        ...refused.left.source.lineStarts.map((_, i) => Source.line(refused.left.source, i + 1))
      ].join("\n")
      expect(said).not.toMatch(/eyJ|hunter2/)
    }
  })

  it.each([
    "{value: hunter2-opaque}",
    "{env: hunter2-opaque}",
    '{env: "hunter2 opaque", file: x}',
    "{env: [hunter2-opaque]}",
    "[hunter2-opaque]",
    "{pass: {word: [hunter2-opaque]}}",
    "\n      value: |\n        hunter2-opaque\n        hunter2-again"
  ])("does not repeat a secret that stands where only its place belongs: %s", (secret) => {
    const postgres = `${good}store: postgres://me@db/ads\n`
    const places = [
      good.replace("{env: BIDHELM_TOKEN}", secret),
      `${postgres}store_password: ${secret}\n`,
      `${good}runner:\n  http: 127.0.0.1:9464\n  http_key: ${secret}\n`,
      `${good}telemetry:\n  otlp: https://otlp.example\n  headers: ${secret}\n`
    ]
    for (const text of places) {
      const said = shown(text)
      expect(said).not.toContain("hunter2")
      expect(said.split("\n").length).toBeGreaterThanOrEqual(text.split("\n").length)
      expect(said).toContain("advert: https://advert.example/")
    }
  })

  const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzaWQiOiIxIn0.c2lnbmF0dXJl"

  it.each([
    "{SECRET: }",
    "{SECRET: x}",
    "{? SECRET : x}",
    "{env: BIDHELM_TOKEN, SECRET: x}",
    "{env: BIDHELM_TOKEN, a.SECRET: x}",
    "{SECRET: {a: b}}",
    "{x: {SECRET: y}}",
    "{env: {SECRET: x}}",
    "{env: [SECRET: x]}",
    '{env: "two words", file: SECRET}',
    "{ SECRET y: x}",
    "\n      SECRET: x",
    "{env: BIDHELM_TOKEN, evn: y} # SECRET"
  ])("does not repeat a secret that is written as a key where only its place belongs: %s", (shape) => {
    for (const secret of ["hunter2-opaque", "Hunteropaque", jwt]) {
      const written = shape.replace("SECRET", secret)
      for (const text of [
        good.replace("{env: BIDHELM_TOKEN}", written),
        `${good}store: postgres://me@db/ads\nstore_password: ${written}\n`,
        `${good}runner:\n  http: 127.0.0.1:9464\n  http_key: ${written}\n`,
        `${good}telemetry:\n  otlp: https://otlp.example\n  headers: ${written}\n`
      ]) {
        expect(shown(text)).not.toMatch(/hunter|opaque|eyJ|c2lnb/i)
      }
    }
  })

  it("says what is possible where it does not repeat an unknown key", () => {
    expect(problems(good.replace("{env: BIDHELM_TOKEN}", "{env: X, hunter2: y}"))).toEqual([
      "4: Unknown key; it is not repeated, as it may be a secret. Possible: env, file."
    ])
    expect(problems(good.replace("{env: BIDHELM_TOKEN}", "{evn: X}"))).toContain(
      "4: Unknown key; it is not repeated, as it may be a secret. Did you mean env?"
    )
  })

  it("takes a whole token for what it is, wherever it stands", () => {
    for (const line of [`token: ${jwt}`, `token: {env: ${jwt}}`, `token: {file: ${jwt}}`]) {
      const [said, ...more] = problems(good.replace("token: {env: BIDHELM_TOKEN}", line))
      expect(said).toMatch(/^4: (A token is never written here|The name of an env|The path of a file)/)
      expect(more).toEqual([])
    }
  })

  it.each([
    "token: {env: X}\n    SECRET: y",
    "tokn: SECRET",
    "Token: SECRET",
    "токен: SECRET",
    "tokеn: {env: SECRET}",
    "token: {env: X}\n    token_kind: SECRET",
    "token: {env: X}\n  - SECRET",
    "token: {env: X}\nheader: {scheme: Bearer SECRET}",
    "token: {env: X}\nheader: {name: 'Authorization: SECRET'}",
    "token: {env: X}\npassword: {a: [SECRET]}"
  ])("does not repeat what may be a secret in the wrong place: %s", (line) => {
    for (const secret of ["hunter2-opaque", jwt]) {
      const text = good.replace("token: {env: BIDHELM_TOKEN}", line.replace("SECRET", secret))
      expect(shown(text)).not.toMatch(/hunter2|opaque|eyJ|c2lnb/)
    }
  })

  it.each([
    "token: {SECRET}",
    "token: {SECRET",
    "token: [SECRET",
    'token: "SECRET',
    "token: 'SECRET",
    "token: SECRET: x",
    "token: SECRET\n      x: 1",
    "token: &SECRET x",
    "token: *SECRET",
    "token: !SECRET x",
    "token: !<SECRET x",
    "token: @SECRET",
    "token: %SECRET",
    "token: `SECRET",
    "token: {env:SECRET}",
    "token: {env: X, env: SECRET}",
    'token: {"SECRET": x, "SECRET": y}',
    'token: {env: X, "SECRET"}',
    "token: {env : X, [SECRET]: 1}",
    "token: {env: X} SECRET",
    "token: {env: X}, SECRET",
    "token: {env: X}\n    token: SECRET",
    "token: {env: X}\n    token: {SECRET: 1}",
    "token: {env: X}\n     SECRET",
    "token:SECRET",
    "token = SECRET",
    "token:\n\tSECRET: x",
    "token:\n      env: X\n     SECRET: 1",
    "token:\n      env: X\n       SECRET: 1",
    "token:\n  SECRET: 1",
    "token: {env: X} #SECRET",
    "token: {env: X}\u200bSECRET",
    "token: |\n   SECRET\n  x",
    "token: {env: X}\nSECRET",
    "token: {env: X}\n- SECRET: [",
    "token: {env: X}\naccounts: [{name: main, tokn: SECRET}"
  ])("does not repeat a secret of a file that is no YAML: %s", (line) => {
    for (const secret of ["hunter2-opaque", "Hunteropaque", jwt]) {
      const text = good.replace("token: {env: BIDHELM_TOKEN}", line.replaceAll("SECRET", secret))
      const said = shown(text)
      expect(said).not.toMatch(/hunter|opaque|eyJ|c2lnb/i)
      expect(said).toContain("- name: main")
    }
  })

  it("shows a line that is no YAML, where no secret is near", () => {
    const said = shown(`${good}time_zone: Europe: Moscow\n`)
    expect(said).toContain("time_zone: Europe: Moscow")
    expect(said).toContain('time_zone: "Europe: Moscow"')
    expect(said).toContain("env: BIDHELM_TOKEN")
  })

  it.each([
    "https://user:hunter2@advert.example",
    "https://hunter2@advert.example",
    "http://a:hunter2@127.0.0.1:80"
  ])("refuses a name or password in the address of a host, and does not repeat it: %s", (url) => {
    const said = "A name or password is never written into an address. Take everything up to the @ out of it"
    for (const key of ["advert", "calendar", "marketplace", "analytics"]) {
      const text = `${good.replace(new RegExp(`^  ${key}: .*\n`, "m"), "")}  ${key}: ${url}\n`
      expect(problems(text)).toEqual([expect.stringContaining(`${said}; what the marketplace asks for`)])
      expect(shown(text)).not.toContain("hunter2")
    }
    const otlp = `${good}telemetry: {otlp: "${url}"}\n`
    expect(problems(otlp)).toEqual([expect.stringContaining(`${said} and say where it is: headers`)])
    expect(shown(otlp)).not.toContain("hunter2")
  })

  it.each(["user:hunter/2", "user:hun ter2", "user:hun'ter2", "us er:'hunter 2@hunter2"])(
    "does not repeat the password of an address, whatever signs it has: %s",
    (secret) => {
      const url = JSON.stringify(`https://${secret}@advert.example`)
      expect(shown(good.replace("https://advert.example/", url))).not.toMatch(/us ?er:|hun|ter2/)
      expect(shown(`${good}telemetry: {otlp: ${url}}\n`)).not.toMatch(/us ?er:|hun|ter2/)
    }
  )

  it("does not repeat the password of an address where none belongs", () => {
    expect(shown(`${good}otpl: https://user:hunter2@otlp.example\n`)).not.toMatch(/user|hunter/)
  })

  it("takes an @ behind the host for what it is", () => {
    expect(problems(good.replace("https://advert.example/", "https://advert.example/@shop"))).toEqual([])
  })

  it("names every key of runner where it holds none", () => {
    expect(problems(`${good}runner: 5\n`)).toEqual([
      "8: Settings of bidhelm run: listen, http, http_key, http_names, shards, lock_seconds, plans_at_once, log, log_level."
    ])
  })

  it("knows which ports there are", () => {
    const runner = (key: string, port: string) => problems(`${good}runner: {${key}: "127.0.0.1:${port}"}\n`)
    for (const key of ["http", "listen"]) {
      for (const port of ["0", "00", "65536", "99999"]) {
        expect(runner(key, port)).toEqual([
          expect.stringMatching(/^8: There is no port \d+: ports are 1 to 65535\. \w.*\d:\d{4,5}\.$/)
        ])
      }
      for (const port of ["1", "9464", "65535"]) expect(runner(key, port)).toEqual([])
      expect(runner(key, "x")).toEqual([expect.not.stringContaining("There is no port")])
      expect(problems(`${good}runner: {${key}: "[::1]:9464"}\n`)).toEqual([])
    }
  })

  it("keeps sandbox accounts on this machine", () => {
    const sandbox = good.replace("{env: BIDHELM_TOKEN}", "{env: BIDHELM_TOKEN}\n    sandbox: true")
    expect(problems(sandbox)).toEqual([
      "5: A sandbox account needs hosts on this machine: http://127.0.0.1:8090."
    ])
    const local = sandbox.replace(/https:\/\/\w+\.example\/?/g, "http://127.0.0.1:8090")
    expect(problems(local)).toEqual([])
  })

  it("refuses two accounts of one name", () => {
    const twice = good.replace("hosts:", "  - name: main\n    token: {env: OTHER}\nhosts:")
    expect(problems(twice)).toEqual(["5: Two accounts have this name."])
    // One name to whoever reads it, its accent typed in two ways.
    const named = good.replace("name: main", "name: caf\u00e9")
    const other = named.replace("hosts:", "  - name: cafe\u0301\n    token: {env: OTHER}\nhosts:")
    expect(problems(other)).toEqual(["5: Two accounts have this name."])
  })

  it("takes no step of bids that moves none", () => {
    for (const step of ["0", "0.00", "00 ₽"])
      expect(problems(`${good}bid_step: {cpm: "${step}"}\n`)).toEqual([
        '8: An amount above 0 in quotes, such as "1 ₽" or "0.50".'
      ])
    expect(problems(`${good}bid_step: {cpm: "0.01", cpc: "10"}\n`)).toEqual([])
  })

  it("reads a PostgreSQL store with the place of its password; machine files stay beside the configuration", () => {
    const url = "postgres://bidhelm@db.example:5432/ads?sslmode=verify-full"
    const text = `${good}store: ${url}\nstore_password: {file: secret/store}\n`
    expect(Either.getOrThrow(Config.read("shop/bidhelm.yaml", text))).toMatchObject({
      store: { _tag: "Postgres", url, password: { _tag: "File", path: "shop/secret/store" } },
      storePath: "shop/.bidhelm/bidhelm.sqlite"
    })
    expect(
      Either.getOrThrow(Config.read("shop/bidhelm.yaml", `${text}machine_folder: /data\n`))
    ).toMatchObject({ storePath: "/data/bidhelm.sqlite" })
    expect(problems(`${good}machine_folder: /data\n`)[0]).toContain("Only beside a postgres:// store")
  })

  it("says what is wrong with a store", () => {
    const said = (lines: string) => problems(`${good}${lines}\n`).map((line) => line.replace(/^\d+: /, ""))
    expect(said("store: mysql://x@y/z")[0]).toMatch(/^Write sqlite:.* or postgres:/)
    expect(said("store: postgres://db/ads")[0]).toMatch(/^The address names no user\./)
    expect(said("store: postgres://me@db")[0]).toMatch(/^The address names no database\./)
    expect(said("store: postgres://me@db/ads?options=x")[0]).toMatch(
      /^"options" cannot be said here; what can/
    )
    expect(said("store: postgres://me@db/ads?sslmode=allow")).toEqual([
      "sslmode is one of disable, verify-full, no-verify."
    ])
    expect(said("store_password: {env: PASSWORD}")).toEqual(["Only a postgres:// store has a password."])
    expect(said("store: postgres://me@db/ads\nstore_password: {env: no name, file: x}")).toEqual([
      "The name of an environment variable, such as BIDHELM_STORE_PASSWORD."
    ])
  })

  it("refuses the password of a store written into it and never repeats it", () => {
    for (const line of [
      "store: postgres://me:hunter2@db/ads",
      'store: "postgresql://me:hunter2/@hunter2@db/ads"',
      "store: postgres://me@db/ads?password=hunter2",
      "store: postgres://me@db/ads\nstore_password: hunter2"
    ]) {
      const refused = Config.read("bidhelm.yaml", `${good}${line}\n`)
      if (Either.isRight(refused)) throw new Error(`accepted: ${line}`)
      const said = [
        ...refused.left.problems.flatMap((p) => [p.message, p.fix ?? ""]),
        ...refused.left.source.lineStarts.map((_, i) => Source.line(refused.left.source, i + 1))
      ].join("\n")
      expect(said).toMatch(/A password is never written here/)
      expect(said).not.toContain("hunter2")
    }
  })

  it("says what a file of one value or a list should hold, in one sentence that repeats none of it", () => {
    for (const [text, what] of [
      ["hunter2", "one value"],
      ["12", "one value"],
      ["- hunter2\n- b\n", "a list"]
    ] as const) {
      expect(problems(text), text).toEqual([
        `1: This file holds ${what} where keys such as version:, accounts: and hosts: should be.`
      ])
      expect(shown(text), text).not.toContain("hunter2")
    }
  })

  it("survives text that is no configuration at all", () => {
    for (const text of ["", "[]", "hello", "accounts: {a: *b}", "a: [", "accounts: 5", "\u0000"]) {
      expect(problems(text).length).toBeGreaterThan(0)
    }
  })
})
