/**
 * An occurrence is one end of a contract message: 2m is the send of message m, 2m + 1 its receipt.
 * "e must precede f" is asked at the operator that is their common ancestor in the term, e in its earlier part.
 */
export type Occurrence = number;

export const sendOf = (message: number): Occurrence => 2 * message;
export const receiptOf = (message: number): Occurrence => 2 * message + 1;
export const messageOf = (occurrence: Occurrence): number => occurrence >> 1;
export const isReceipt = (occurrence: Occurrence): boolean => (occurrence & 1) === 1;
