#!/usr/bin/env node
import { readFileSync, writeSync } from 'node:fs';
import { printable } from '../diagnostics/index.ts';
import { textOf } from './files.ts';
import { EXIT_AUTHOR_ERROR } from './io.ts';
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

const messageOf = (error: unknown): string => printable(error instanceof Error ? error.message : String(error));
const codeOf = (error: Error): string => ('code' in error ? String(error.code) : '');

/** Past the streams, which may be what is broken, and at once, since nothing may run after it. */
function complain(text: string): void {
  try {
    writeSync(2, `asdrawn: ${text}\n`);
  } catch {
    // Nobody can be told; the exit code still says it.
  }
}

/** Why standard output did not take all that was printed. A reader that had enough (`| head`) is no reason. */
const losses: string[] = [];
process.stdout.on('error', (error: Error) => {
  if (codeOf(error) !== 'EPIPE') losses.push(messageOf(error));
});
// Without a listener a broken error stream would end the run, with an exit code that means something else.
process.stderr.on('error', () => undefined);

/** What is thrown outside of any call; while a system runs, whoever runs it listens as well, and answers for it. */
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) => {
    if (process.listenerCount(event) === 1) process.exit(internalError(error));
  });
}

let isOver = false;
process.on('exit', (code) => {
  // From 128 on it is a signal that ended it.
  if (isOver || code >= 128) return;
  // A verdict that was never given must not look like a green one.
  complain('the process was ended from inside before there was a verdict\nhint: does the system under test call exit?');
  process.exitCode = EXIT_AUTHOR_ERROR;
});

function internalError(error: unknown): number {
  isOver = true;
  complain(
    `internal error: ${messageOf(error)}\nhint: this is a bug of asdrawn; please report it with the files that show it`,
  );
  if (process.env['ASDRAWN_DEBUG'] !== undefined) complain(error instanceof Error ? (error.stack ?? '') : '');
  return EXIT_INTERNAL_ERROR;
}

async function readStdin(): Promise<string> {
  const text = await textOf(process.stdin, '<stdin>');
  if (typeof text === 'string') return text;
  throw new Error(text.problem.message);
}

async function run(): Promise<number> {
  try {
    return await runProgram(
      {
        out: (chunk) => process.stdout.write(chunk),
        err: (chunk) => process.stderr.write(chunk),
        readStdin,
        openStdin: () => process.stdin,
        command: process.env['npm_lifecycle_event'] === undefined ? 'asdrawn' : 'npm run -s asdrawn --',
        isErrorTerminal: process.stderr.isTTY,
        isColour: process.stdout.isTTY && process.env['NO_COLOR'] === undefined,
      },
      process.argv.slice(2),
      readVersion(),
    );
  } catch (error) {
    return internalError(error);
  }
}

const flushed = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => {
    stream.write('', () => {
      resolve();
    });
  });

const code = await run();
await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
isOver = true;
const [loss] = losses;
if (loss !== undefined)
  complain(`what was printed is not whole: ${loss}\nhint: is there room where standard output goes?`);
// A system that leaves something open must not keep a run alive whose verdict is out.
process.exit(loss === undefined ? code : EXIT_AUTHOR_ERROR);
