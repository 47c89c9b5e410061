import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { printableLines } from '../diagnostics/index.ts';
import { bindCommand, type BindOptions } from './bind-command.ts';
import { checkCommand, type CheckOptions } from './check-command.ts';
import { checkLogsCommand, type CheckLogsCommandOptions } from './check-logs-command.ts';
import { convertCommand, type ConvertOptions, NOTATIONS } from './convert-command.ts';
import { conformanceCommand, type ConformanceOptions } from './conformance-command.ts';
import { diffCommand, type DiffOptions } from './diff-command.ts';
import { explainCommand } from './explain-command.ts';
import { fuzzCommand, type FuzzCommandOptions } from './fuzz-command.ts';
import { EXIT_AUTHOR_ERROR, type Io } from './io.ts';
import { parseCommand } from './parse-command.ts';
import type { SpecOptions } from './specs.ts';

const ORDERS = ['strict', 'lifeline', 'causal'] as const;

/** Runs one command line; returns the exit code (docs/verdicts.md). */
export async function runProgram(world: Io, args: readonly string[], version: string): Promise<number> {
  // Complaints quote names, arguments and texts of others; none of them may speak to the terminal.
  const io: Io = {
    ...world,
    err: (text) => {
      world.err(printableLines(text));
    },
  };
  let code = 0;
  const keep = (run: Promise<number>): Promise<void> => run.then((value) => void (code = value));
  const program = programOf(io, version, keep);
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and version are no errors; everything else that commander refuses is a wrong command line.
    return error.exitCode === 0 ? 0 : EXIT_AUTHOR_ERROR;
  }
}

function programOf(io: Io, version: string, keep: (run: Promise<number>) => Promise<void>): Command {
  const program = new Command('asdrawn')
    .description('Does your system behave as drawn? Checks traces against the sequence diagrams in your docs.')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: io.out,
      writeErr: io.err,
      outputError: (text, write) => {
        write(`${text.trim()}\nhint: asdrawn --help\n`);
      },
    });
  const command = (name: string, description: string): Command =>
    program
      .command(name)
      .description(description)
      .exitOverride()
      .argument(
        '<spec...>',
        'files with diagrams, or folders: of these .mmd, .md, .txt; a source file only by its name',
      );
  const withSpecOptions = (target: Command): Command =>
    target
      .option('--binding <file>', 'binding to use instead of the .bindings.yaml beside the spec', once)
      .option('--diagram <name>', 'only the diagram of this name', once)
      .option('--no-errata', 'judge the bare drawing: ignore absent, erratum, unordered and ordered in the binding')
      .addOption(chosenOnce(new Option('--order <order>', 'judge by this order instead').choices(ORDERS)));

  command('parse', 'print what is read from the diagrams')
    .option('--json', 'as JSON')
    .action((paths: string[], options: { json?: boolean }) => keep(parseCommand(io, paths, options)));
  command('convert', 'print diagrams in another notation')
    .addOption(
      chosenOnce(
        new Option('--to <notation>', 'mermaid, or ascii: a drawing').choices(NOTATIONS),
      ).makeOptionMandatory(),
    )
    .option('--diagram <name>', 'only the diagram of this name', once)
    .action((paths: string[], options: ConvertOptions) => keep(convertCommand(io, paths, options)));
  withSpecOptions(command('explain', 'print the contract in words')).action((paths: string[], options: SpecOptions) =>
    keep(explainCommand(io, paths, options)),
  );
  program
    .command('diff')
    .description('compare the order that two drawings demand')
    .exitOverride()
    .argument('<spec-a>', 'file with a diagram')
    .argument('<spec-b>', 'file with a diagram; may be the same file')
    .option('--diagram-a <name>', 'which diagram of the first file', once)
    .option('--diagram-b <name>', 'which diagram of the second file', once)
    .option('--rename <a=b>', 'participant of the first drawing = participant of the second; repeatable', append, [])
    .option('--ignore-text', 'compare who sends to whom, not what')
    .option('--bound', 'compare with the bindings beside the specs')
    .addOption(chosenOnce(new Option('--order <order>', 'compare by this order').choices(ORDERS)))
    .action((a: string, b: string, options: DiffOptions) => keep(diffCommand(io, a, b, options)));
  program
    .command('bind')
    .description('write a first binding, guessed from a trace')
    .exitOverride()
    .argument('<spec>', 'file with diagrams')
    .requiredOption('--trace <file>', 'trace file (NDJSON), or - for standard input', once)
    .option('--out <file>', 'where to write it, or - to print it; default: beside the spec', once)
    .option('--diagram <name>', 'only the diagram of this name', once)
    .option('--force', 'overwrite a file that is there')
    .action((spec: string, options: BindOptions) => keep(bindCommand(io, spec, options)));
  withReports(withSpecOptions(command('check', 'judge a trace')))
    .option('--trace <file>', 'trace file (NDJSON), or - for standard input', once)
    .option('--endpoint <url>', 'trace endpoint of a running system', once)
    .option(
      '--partial',
      'the trace may go on, whatever its end marker says: what is missing is incomplete, not violated',
    )
    .option('--finish', 'tell of incomplete instances the fewest messages that are still to come')
    .option('--logs <participant=file>', 'log of one participant, or of several with commas; repeatable', append, [])
    .option('--cut', 'each log may lack events at its end')
    .action((paths: string[], options: CheckOptions & CheckLogsCommandOptions) =>
      keep(
        options.logs.length > 0 || options.cut === true
          ? checkLogsCommand(io, paths, options)
          : checkCommand(io, paths, options),
      ),
    );
  withReports(withSpecOptions(command('conformance', 'start a system, drive it, judge its trace')))
    .requiredOption('--system <module>', 'module that exports the system under test', once)
    .option('--scenario <file>', 'what the user does', 'specs/conformance.scenario.json')
    .action((paths: string[], options: ConformanceOptions) => keep(conformanceCommand(io, paths, options)));
  withSpecOptions(command('fuzz', 'look for the run that breaks a drawing'))
    .requiredOption('--system <module>', 'module that exports the system under test', once)
    .option('--runs <n>', 'how many scenarios', count, 20)
    .option('--seed <n>', 'seed of the scenarios', count, 1)
    .option('--free', 'let watch notifications overtake replies')
    .option('--mutant <name...>', 'switch on these bugs of the system')
    .option('--out <folder>', 'where a failing case is written', 'reports/fuzz')
    .action((paths: string[], options: FuzzCommandOptions) => keep(fuzzCommand(io, paths, options)));
  return program;
}

function withReports(target: Command): Command {
  return target
    .option('--json', 'print the verdict as JSON')
    .option('--html <file>', 'write an HTML report', once)
    .option('--junit <file>', 'write a JUnit XML report', once)
    .option('--min-coverage <percent>', 'fail if less of the drawings was seen than this', percent);
}

const append = (text: string, before: readonly string[]): readonly string[] => [...before, text];

/** Of two traces the first would else go unjudged, of two reports one unwritten, without a word. */
function once(text: string, before: string | undefined): string {
  if (before !== undefined) throw new InvalidArgumentError('it may be named once; run the command for each');
  return text;
}

/** The same for an option that is one of a few words. */
function chosenOnce(option: Option): Option {
  const { parseArg } = option;
  return option.argParser((text: string, before: string | undefined) => {
    const chosen = once(text, before);
    return parseArg === undefined ? chosen : parseArg(chosen, before);
  });
}

function percent(text: string, before: number | undefined): number {
  once(text, before === undefined ? undefined : String(before));
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > 100) throw new InvalidArgumentError('a whole number from 0 to 100');
  return value;
}

const COUNT_MAX = 2_147_483_647;

function count(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > COUNT_MAX) throw new InvalidArgumentError(`a whole number from 0 to ${COUNT_MAX}`);
  return value;
}
