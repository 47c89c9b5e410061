/** The longest text that a report quotes: a label of ten megabytes is of no use to a reader, and would be there several times. */
export const TEXT_MAX = 10_000;

/** The beginning of a text that is too long, and how long it is. */
export function shortened(text: string, max: number = TEXT_MAX): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max)}… (${text.length.toLocaleString('en')} characters)`;
}

/** The same of each line. */
export const shortenedLines = (text: string): string =>
  text.length <= TEXT_MAX
    ? text
    : text
        .split('\n')
        .map((line) => shortened(line))
        .join('\n');
