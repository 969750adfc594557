export const handlers = {}
