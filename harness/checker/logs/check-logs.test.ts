import { join } from 'node:path';
import { compileContract, readBinding, type Contract } from '../../contract/index.ts';
import { readDocument } from '../../dialects/index.ts';
import { datadriven, readShorthand, type Stanza } from '../../testing/index.ts';
import type { Trace } from '../../trace/index.ts';
import { checkLogs } from '../index.ts';

/**
 * Verdicts on logs without a common clock, readable. `draw` holds a Mermaid drawing (without its first line) or, with `steps`, a list, `bind` its binding,
 * `check [cut] [align] [remarks] [arrows] [named] [states=MAX] [messages=MAX]` the logs: after a line `log A` (or `log A,B`) those events that A saw, in its order;
 * `named`: each has a name of its own.
 */
datadriven(join(import.meta.dirname, 'testdata'), () => {
  let drawing = '';
  let file = '';
  let binding = '';
  return (stanza: Stanza): string => {
    switch (stanza.command) {
      case 'draw':
        drawing = stanza.args.has('steps') ? stanza.input : `sequenceDiagram\n${stanza.input}`;
        file = stanza.args.has('steps') ? 'drawing.md' : 'drawing.mmd';
        binding = '';
        return 'ok';
      case 'bind':
        binding = stanza.input;
        return 'ok';
      case 'check':
        return judge(contractOf(drawing, file, binding), stanza);
      default:
        throw new Error(`unknown command ${stanza.command}`);
    }
  };
});

function contractOf(drawing: string, file: string, binding: string): Contract {
  const [diagram] = readDocument(`${drawing}\n`, file).value;
  if (diagram === undefined) throw new Error(`nothing is drawn in ${drawing}`);
  const bindings = binding === '' ? null : readBinding(binding, 'drawing.bindings.yaml');
  const compiled = compileContract(diagram, bindings?.value ?? []);
  const error = [...(bindings?.diagnostics ?? []), ...compiled.diagnostics].find(
    ({ severity }) => severity === 'error',
  );
  if (error !== undefined) throw new Error(error.message);
  return compiled.value;
}

function judge(contract: Contract, { input, args }: Stanza): string {
  const [states, messages] = [args.get('states'), args.get('messages')];
  const bounds = {
    ...(states === undefined ? {} : { statesMax: Number(states) }),
    ...(messages === undefined ? {} : { messagesMax: Number(messages) }),
  };
  const verdict = checkLogs(contract, logsOf(input, args.has('named')), { cut: args.has('cut'), bounds });
  const reason = verdict.reason === undefined ? '' : ` (${verdict.reason})`;
  const instances = verdict.instances.flatMap(({ key, outcome, violations }) => [
    ...(Object.keys(key).length === 0 ? [] : [`${outcome} ${JSON.stringify(key)}`]),
    ...violations.map(({ kind, text }) => `  ${kind}: ${text.replaceAll(/drawing\.(mmd|md):/g, 'line ')}`),
  ]);
  const alignments = verdict.instances.flatMap(({ alignment }) => {
    if (!args.has('align') || alignment === undefined) return [];
    return [alignment.kind === 'found' ? `alignment: ${alignment.cost}` : `no alignment: ${alignment.reason}`];
  });
  const remarks = args.has('remarks') ? verdict.remarks : [];
  const counts = verdict.arrows.map(({ line, events }) => `${line}: ${events}`);
  const arrows = args.has('arrows') ? [`arrows ${counts.join(', ')}`] : [];
  return [`${verdict.outcome}${reason}`, ...instances, ...alignments, ...remarks, ...arrows].join('\n');
}

function logsOf(input: string, isNamed: boolean): ReadonlyMap<string, Trace> {
  const lines = new Map<string, string[]>();
  let current: string[] = [];
  for (const line of input.split('\n')) {
    const name = /^log (\S+)$/.exec(line.trim())?.[1];
    if (name === undefined) current.push(line);
    else lines.set(name, (current = []));
  }
  const named = (name: string, trace: Trace): Trace =>
    isNamed ? { ...trace, events: trace.events.map((sourced) => ({ ...sourced, source: `${name}.ndjson` })) } : trace;
  return new Map([...lines].map(([name, own]) => [name, named(name, readShorthand(own.join('\n')))]));
}
