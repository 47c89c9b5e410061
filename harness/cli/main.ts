#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { runProgram } from './program.ts';

const EXIT_INTERNAL_ERROR = 70;

/** The version stands in package.json, two folders up in a checkout and one up in the package. */
function readVersion(): string {
  for (const path of ['../../package.json', '../package.json']) {
    try {
      const json: unknown = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
      if (typeof json === 'object' && json !== null && 'version' in json) return String(json.version);
    } catch {
      continue;
    }
  }
  return 'unknown';
}

// A closed pipe (`asdrawn … | head`) is no fault.
process.stdout.on('error', () => process.exit(0));
try {
  process.exitCode = await runProgram(
    {
      out: (chunk) => process.stdout.write(chunk),
      err: (chunk) => process.stderr.write(chunk),
      readStdin: () => text(process.stdin),
      command: process.env['npm_lifecycle_event'] === undefined ? 'asdrawn' : 'npm run -s asdrawn --',
      isColour: process.stdout.isTTY && process.env['NO_COLOR'] === undefined,
    },
    process.argv.slice(2),
    readVersion(),
  );
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(
    `asdrawn: internal error: ${message}\nhint: this is a bug of asdrawn; please report it with the files that show it\n`,
  );
  if (process.env['ASDRAWN_DEBUG'] !== undefined)
    process.stderr.write(`${error instanceof Error ? (error.stack ?? '') : ''}\n`);
  process.exitCode = EXIT_INTERNAL_ERROR;
}
