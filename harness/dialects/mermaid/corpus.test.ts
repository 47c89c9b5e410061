import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { wholeFile } from '../../diagram/index.ts';
import { hasErrors } from '../../diagnostics/index.ts';
import { readMermaid } from './index.ts';

/**
 * Diagrams of public repositories, which are not ours to ship: a folder of `.mmd` files with an `index.tsv` that says in its first
 * columns file, repository, path, whether Mermaid accepts it ("yes"), participants and messages.
 */
const folder = process.env['ASDRAWN_MERMAID_CORPUS'] ?? '';
const index = join(folder, 'index.tsv');

if (folder === '' || !existsSync(index)) {
  describe('the corpus of real diagrams', () => {
    test.skip('is not here: set ASDRAWN_MERMAID_CORPUS to a folder with index.tsv to compare with it', () => undefined);
  });
} else {
  const rows = readFileSync(index, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'));
  const readings = rows.map(([file = '', , , accepted, participants, messages]) => ({
    file,
    accepted: accepted === 'yes',
    participants: Number(participants),
    messages: Number(messages),
    read: readMermaid(readFileSync(join(folder, file), 'utf8'), wholeFile(file, file)),
  }));

  describe('the corpus of real diagrams', () => {
    test('is accepted and refused as by Mermaid', () => {
      const unlike = readings.filter(({ accepted, read }) => hasErrors(read.diagnostics) === accepted);
      console.info(
        `corpus: ${readings.length - unlike.length} of ${readings.length} accepted or refused as by Mermaid`,
      );
      expect(unlike.map(({ file }) => file)).toEqual([]);
    });

    test('has the participants and messages that Mermaid sees, a message both ways counted as two', () => {
      const unlike = readings.filter(({ accepted, participants, messages, read: { value } }) => {
        const second = value.fragments.filter(
          ({ kind, at, operands }) => kind === 'par' && operands[1]?.at === at,
        ).length;
        return accepted && (value.participants.length !== participants || value.messages.length - second !== messages);
      });
      expect(unlike.map(({ file }) => file)).toEqual([]);
    });
  });
}
