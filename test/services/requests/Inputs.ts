/** Valid requests by operation id: what the client's method takes. */
export type Inputs = Readonly<
  Record<
    string,
    {
      readonly path?: object
      readonly urlParams?: object
      readonly payload?: unknown
    }
  >
>
