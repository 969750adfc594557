/** Names and clusters are written by other people: nothing in them may steer a terminal or turn its text around. */

/** Control and formatting characters become a visible dot; line breaks stay. */
export const clean = (text: string): string => text.replace(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "·")

/** As `clean`, for text that must stay on its line. */
export const cleanLine = (text: string): string => clean(text).replaceAll("\n", "·")
