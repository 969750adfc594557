/** Who packs a supply of this machine: whoever has its lock, which ends with the process. */
import { existsSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { PackingTables } from "../../services/ports/PackingTables.js"
import * as ProcessLock from "../../store/clients/ProcessLock.js"
import type { Config } from "../config/Config.js"
import * as RunFolder from "../daemon/RunFolder.js"

/** Looks at the locks beside the store. A supply that was never packed here has none. */
export const layer = (config: Pick<Config, "storePath">): Layer.Layer<PackingTables> =>
  Layer.succeed(PackingTables, {
    packerOf: (account, supplyId) =>
      Effect.suspend(() => {
        const path = RunFolder.packing(config, account, supplyId)
        return existsSync(path) ? ProcessLock.look(path) : Effect.void
      }).pipe(
        Effect.as(undefined),
        Effect.catchTag("Locked", ({ holder }) => Effect.succeed(holder))
      )
  })
