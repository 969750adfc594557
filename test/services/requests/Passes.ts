import type { Inputs } from "./Inputs.js"

const payload = {
  firstName: "Anna",
  lastName: "Petrova",
  carModel: "Gazelle Next",
  carNumber: "А123ВС777",
  officeId: 15
}

export const inputs: Inputs = {
  listPassOffices: {},
  listPasses: {},
  createPass: { payload },
  updatePass: { path: { passId: 301 }, payload },
  deletePass: { path: { passId: 301 } }
}
