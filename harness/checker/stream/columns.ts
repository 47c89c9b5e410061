/** The column itself where it has this place, else a longer copy of it; `rest` stands in what is new. */
export function withPlace(column: Int32Array<ArrayBuffer>, place: number, rest = 0): Int32Array<ArrayBuffer> {
  if (place < column.length) return column;
  const longer = new Int32Array(2 * (place + 1));
  longer.set(column);
  if (rest !== 0) longer.fill(rest, column.length);
  return longer;
}
