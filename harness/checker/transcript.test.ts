import { join } from 'node:path';
import {
  compileContract,
  explainContract,
  readBinding,
  type CompileOptions,
  type Contract,
  type Order,
} from '../contract/index.ts';
import type { Diagram } from '../diagram/index.ts';
import { readDocument } from '../dialects/index.ts';
import { datadriven, readShorthand, type Stanza } from '../testing/index.ts';
import type { InstanceVerdict, SpecVerdict } from '../verdict/index.ts';
import { check } from './index.ts';

/**
 * The readable specification of what a verdict means. `draw` holds a Mermaid drawing (without its first line), or
 * with `art` one of characters, `bind` its binding, `explain` prints what holds beside the order, `check [order=…] [partial] [remarks] [bare] [runs=…] [messages=…] [finish] [coverage] [arrows] [align]` a trace in the shorthand of harness/testing; `bare`: without errata.
 */
datadriven(join(import.meta.dirname, 'testdata'), () => {
  let diagram: Diagram | undefined;
  let binding = '';
  return (stanza: Stanza): string => {
    switch (stanza.command) {
      case 'draw': {
        const read = stanza.args.has('art')
          ? readDocument(`${stanza.input}\n`, 'drawing.txt')
          : readDocument(`sequenceDiagram\n${stanza.input}\n`, 'drawing.mmd');
        [diagram] = read.value;
        binding = '';
        return read.diagnostics.map(({ code, message }) => `${code} ${message}`).join('\n') || 'ok';
      }
      case 'bind':
        binding = stanza.input;
        return 'ok';
      case 'check': {
        if (diagram === undefined) throw new Error('draw something first');
        const contract = compile(diagram, binding, {
          ...orderOf(stanza.args.get('order')),
          errata: !stanza.args.has('bare'),
        });
        if (typeof contract === 'string') return contract;
        const trace = readShorthand(stanza.input);
        const [runsMax, messagesMax] = [stanza.args.get('runs'), stanza.args.get('messages')];
        const verdict = check(contract, trace, {
          complete: !stanza.args.has('partial'),
          finish: stanza.args.has('finish'),
          ...(runsMax === undefined ? {} : { runsMax: Number(runsMax) }),
          ...(messagesMax === undefined ? {} : { messagesMax: Number(messagesMax) }),
        });
        return [
          print(verdict),
          ...(stanza.args.has('remarks') ? verdict.remarks : []),
          ...(stanza.args.has('coverage') ? coverageLines(verdict) : []),
          ...(stanza.args.has('arrows') ? [arrowsLine(verdict)] : []),
          ...(stanza.args.has('align') ? verdict.instances.flatMap((own) => alignmentLines(verdict, own)) : []),
        ].join('\n');
      }
      case 'explain': {
        if (diagram === undefined) throw new Error('draw something first');
        const contract = compile(diagram, binding, {});
        return typeof contract === 'string' ? contract : besideTheOrder(explainContract(contract));
      }
      default:
        throw new Error(`unknown command ${stanza.command}`);
    }
  };
});

/** The cheapest edits of an instance, each with the line of the trace. */
function alignmentLines({ arrows }: SpecVerdict, { key, run, alignment }: InstanceVerdict): string[] {
  const name = [...Object.values(key), ...(run > 1 ? [`run ${run}`] : [])].map((word) => ` of ${word}`).join('');
  if (alignment === undefined) return [];
  if (alignment.kind === 'not-computed') return [`alignment${name}: ${alignment.reason}`];
  const edits = alignment.edits.map((edit) => {
    const text = `"${arrows[edit.arrow]?.text ?? '?'}"`;
    if (edit.kind !== 'missing') return `  ${edit.kind} line ${edit.event.line}, ${text}`;
    return `  missing ${text} ${edit.before === null ? 'at the end' : `before line ${edit.before.line}`}`;
  });
  return [`alignment${name}: ${alignment.cost}`, ...edits];
}

/** The sum, then a line for each fragment: what of it was seen, in how many instances. */
const coverageLines = ({ coverage: { seen, possible, percent, fragments } }: SpecVerdict): string[] => [
  `coverage ${seen} of ${possible} (${percent} %)`,
  ...fragments.map(({ kind, line, text, choices }) => {
    const words = choices.map((choice) => {
      const name =
        choice.kind === 'operand' ? (choice.text === '' ? `line ${choice.line ?? 0}` : choice.text) : choice.kind;
      return `${name} ${choice.status === 'seen' ? choice.instances : choice.status}`;
    });
    return `  line ${line} ${kind} ${text}: ${words.join(', ')}`;
  }),
];

/** By the line of each arrow: how many events it took. */
const arrowsLine = ({ arrows }: SpecVerdict): string =>
  `arrows ${arrows.map(({ line, events }) => `${line}: ${events}`).join(', ')}`;

/** Of an explanation, the part that says what holds beside the order. */
const besideTheOrder = (explained: string): string =>
  explained.split('\n\n').find((section) => section.startsWith('beside the order:')) ?? 'nothing';

const orderOf = (order: string | undefined): CompileOptions => (order === undefined ? {} : { order: order as Order });

function compile(diagram: Diagram, bindingText: string, options: CompileOptions): Contract | string {
  const bindings =
    bindingText === '' ? { value: [], diagnostics: [] } : readBinding(bindingText, 'drawing.bindings.yaml');
  const compiled = compileContract(diagram, bindings.value, options);
  const errors = [...bindings.diagnostics, ...compiled.diagnostics].filter(({ severity }) => severity === 'error');
  return errors.length > 0 ? errors.map(({ code, message }) => `${code} ${message}`).join('\n') : compiled.value;
}

function print(verdict: SpecVerdict): string {
  const textOf = (arrow: number): string => verdict.arrows[arrow]?.text ?? '?';
  const line = (instance: InstanceVerdict): string => {
    const key = Object.entries(instance.key)
      .map(([name, value]) => ` ${name}=${value}`)
      .join('');
    const reason = instance.reason === undefined ? '' : ` (${instance.reason})`;
    const expected = instance.outcome === 'incomplete' ? `, expected: ${instance.expected.map(textOf).join(', ')}` : '';
    const violations = instance.violations.map(
      ({ kind, text }) => `\n  ${kind}: ${text.replaceAll(/drawing\.(mmd|txt):/gu, 'line ')}`,
    );
    return `${instance.outcome}${key}${instance.run > 1 ? ` run ${instance.run}` : ''}${reason}${expected}${violations.join('')}`;
  };
  const reason = verdict.reason === undefined ? '' : ` (${verdict.reason})`;
  const all = verdict.instances.length === 0 || reason !== '' ? [`${verdict.outcome}${reason}`] : [];
  return [...verdict.instances.map(line), ...all].join('\n');
}
