import { measure, isKind } from "./Planning.js"
const k = process.argv[2] ?? ""
if (isKind(k)) console.log(k, await measure(k))
