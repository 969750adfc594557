/** The way to `domain/Plural` that `RowReasons` still takes; it goes as soon as that file names the domain's itself. */
export { choose, of } from "../domain/Plural.js"
