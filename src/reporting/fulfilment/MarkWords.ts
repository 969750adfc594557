/** What is wrong with a mark or a sheet of marks, in words that say how to mend it: the one place that makes them. */
import type * as Days from "../../domain/Days.js"
import * as Plural from "../../domain/Plural.js"
import type { MarkKind } from "../../engine/fulfilment/marks/Mark.js"
import type { MarkProblem, Mended } from "../../engine/fulfilment/marks/MarkProblem.js"
import type { HeaderProblem, Place, SheetProblem } from "../../engine/fulfilment/marks/MarkSheet.js"
import * as OrderMark from "../../engine/kinds/fulfilment/OrderMark.js"
import { cleanLine } from "../Clean.js"

/** How to get a scanner to send the separator, for whoever sets it up. */
export const scannerSetup =
  "set the scanner to send function characters (GS1: FNC1 as GS, ASCII 29; in its manual: GS replacement off, control characters on) and scan the code again, or write \\u001D where the separator stands"

/** Of a cell of a sheet. Each is a sentence or two without the stop at the end. */
export const ofCell = (problem: SheetProblem, kind: MarkKind | undefined): string => {
  switch (problem.code) {
    case "claimed_twice":
      return `${placeText(problem.first)} has the same ${name(kind)} for order ${problem.otherOrderId}: it is on one unit of goods only, so neither is taken. Look at the goods of both orders`
    case "used_by_order":
      return `order ${problem.otherOrderId} has this ${name(kind)} already: it is on one unit of goods only. Look at the goods of both orders`
    case "second_value":
      return `${placeText(problem.first)} gives the order another ${name(problem.kind)}: an order takes one. Remove the wrong one`
    case "too_many":
      return `the order has more than ${problem.most} marking codes; it takes ${problem.most}`
    case "order_missing":
      return "the row does not say of which order it is. Write the number of the order"
    case "order_unreadable":
      return `"${cleanLine(problem.text)}" is not the number of an order: it is a whole number, such as 1234567890. A spreadsheet may have shortened it; make the column text`
    case "kind_missing":
      return `the row does not say what its value is. Write one of ${kindList}`
    case "kind_unknown":
      return `"${cleanLine(problem.text)}" is no kind of mark. Write one of ${kindList}`
    case "no_mark":
      return "the row has no mark. Fill it in, or remove the row"
    case "cells_beyond":
      return `the row has ${problem.cells} cells under ${problem.columns} names: a mark in it holds the sign that stands between the columns. Put marks into double quotes, or save the sheet as .xlsx`
    default:
      return ofMark(problem, kind)
  }
}

/** Of one mark, wherever it came from. */
export const ofMark = (problem: MarkProblem, kind: MarkKind | undefined): string => {
  const what = name(kind)
  switch (problem.code) {
    case "empty":
      return `there is no ${what}`
    case "shortened":
      return `a spreadsheet shortened the ${what} to a number with E, and its digits are lost. Make the column text, and copy the ${what} anew`
    case "cyrillic_layout":
      return `sign ${problem.place} is a Russian letter: the keyboard layout was Russian when the code was scanned. Switch the computer, or the scanner, to the English layout and scan the code again; what it was cannot be guessed`
    case "look_alike":
      return `sign ${problem.place} is the Russian letter ${problem.sign}, which only looks like a Latin one. Scan the code instead of typing it`
    case "foreign_sign":
      return `sign ${problem.place} is ${problem.sign}, which no marking code holds. Scan the code again`
    case "space_inside":
      return `there is a blank at sign ${problem.place}${kind === "sgtin" ? ": a program may have put it in the place of a group separator" : ""}. ${kind === "sgtin" ? `To mend it, ${scannerSetup}` : "Remove it"}`
    case "separator_lost":
      return `the code has no group separator (GS, U+001D): the scanner or a program lost it. To mend it, ${scannerSetup}`
    case "separator_missing":
      return `a group separator (GS, U+001D) is lost before sign ${problem.place}. To mend it, ${scannerSetup}`
    case "bracketed":
      return "the code is written with brackets, as it is printed for people. Scan the square code instead"
    case "no_gtin":
      return "the code does not begin with 01 and the 14 digits of the goods. Scan the square code of the marking, not another one on the package"
    case "no_serial":
      return "behind the 14 digits of the goods the code has no 21 with a serial number. Scan the square code of the marking"
    case "serial_length":
      return `the serial number behind 21 has ${Plural.of(problem.length, "sign")}; it has 1 to ${problem.most}. Scan the code again`
    case "part_unreadable":
      return `the part from sign ${problem.place} on is no part of a marking code: a sign is missing or was added. Scan the code again`
    case "length":
      return `the ${what} has ${Plural.of(problem.length, "sign")}; ${problem.least === problem.most ? `exactly ${problem.least}` : `${problem.least} to ${problem.most}`} are needed`
    case "no_digit":
      return `sign ${problem.place} is ${problem.sign}, and the ${what} has digits only${problem.likely === undefined ? "" : ` (perhaps ${problem.likely} is meant)`}`
    case "check_digit":
      return `the last digit of the ${problem.of === "imei" ? "IMEI" : problem.of === "gtin" ? "GTIN" : "goods' number in the code"} does not fit the others: a digit is wrong, or two are exchanged. ${problem.of === "sgtin" ? "Scan the code again" : "Compare it with the package"}`
    case "zero_lost":
      return "the GTIN has 12 digits: a spreadsheet dropped the zero at its beginning. Make the column text, and write it with 0 in front"
    case "two_imeis":
      return "two IMEIs were given. Of a device with two give the first only, 15 digits"
    case "no_day":
      return "this is no day. Write it as dd.mm.yyyy, such as 31.12.2027"
    case "too_soon":
      return `${dotted(problem.day)} is too soon: goods must keep for 30 days when they are handed over. The earliest day today is ${dotted(problem.earliest)}`
  }
}

/** Of the sheet as a whole. */
export const ofHeader = (problem: HeaderProblem): string => {
  switch (problem.code) {
    case "sheet_empty":
      return "the sheet is empty. Its first row names the columns: order, kind, value"
    case "no_order_column":
      return `no column says of which order a row is: call it order (or номер заказа). ${has(problem.found)}`
    case "no_mark_column":
      return `no column has marks: call them kind and value, or ${kindList}. ${has(problem.found)}`
    case "no_kind_column":
      return "a column has values, and none says of which kind they are: add a column kind, or call the column by its kind, such as sgtin"
    case "no_value_column":
      return "the column kind says what a value is, and no column has the values: call it value"
    case "same_column":
      return `columns ${columnText(problem.first)} and ${columnText(problem.second)} mean the same. Remove one`
  }
}

/** What was taken as meant; a clause. */
export const ofMended = (mended: Mended): string => {
  switch (mended.code) {
    case "blanks":
      return "blanks and invisible signs left out"
    case "spreadsheet_quotes":
      return "a spreadsheet's apostrophe or quotes left out"
    case "decimals":
      return "decimals of a whole number left out"
    case "separator_written":
      return `${cleanLine(mended.written)} read as a group separator`
    case "scanner_prefix":
      return `${cleanLine(mended.written)} before the code left out`
    case "grouping":
      return "blanks and dashes inside left out"
    case "gtin14":
      return "a GTIN of 14 digits written with 13"
    case "layout_dots":
      return "dots between its parts read as slashes, which the Russian layout types so"
    case "day_spelling":
      return "a day written as dd.mm.yyyy"
  }
}

/** `row 5, C "sgtin"`. */
export const placeText = ({ column, line, name }: Place): string =>
  `row ${line}, ${columnText({ column, line, name })}`

const columnText = ({ column, name }: Place): string =>
  `${letters(column)}${name === "" ? "" : ` "${cleanLine(name)}"`}`

/** A column's letters, as spreadsheets show them: A to Z, AA. */
const letters = (at: number): string =>
  at < 26 ? String.fromCharCode(65 + at) : `${letters(Math.floor(at / 26) - 1)}${letters(at % 26)}`

const kindList = "sgtin, uin, imei, gtin, expiration, customs declaration"

const name = (kind: MarkKind | undefined): string => (kind === undefined ? "mark" : OrderMark.called[kind])

const has = (found: ReadonlyArray<string>): string =>
  found.length === 0 ? "It has no names" : `It has ${found.map(cleanLine).join(", ")}`

const dotted = (day: Days.Day): string => day.split("-").reverse().join(".")
