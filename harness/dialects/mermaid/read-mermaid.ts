import type { Read } from '../../diagnostics/index.ts';
import type { Diagram, TextSource } from '../../diagram/index.ts';
import { DiagramBuilder } from './build.ts';
import { explain } from './explain.ts';
import { Findings } from './findings.ts';
import { cutStatements, parseStatement } from './grammar.ts';
import { readYaml } from './metadata.ts';
import { type Prepared, prepare } from './prepare.ts';
import type { Spelled, Statement } from './statements.ts';
import { tokenize } from './tokens.ts';
import { warnOfCircles, warnOfComments, warnOfParticipants, warnOfStatement } from './warn.ts';

const HEADER = /\s*sequenceDiagram/y;
const MISSPELT_HEADER = /\s*sequence-?diagram/iy;

/** Whether a header stands first, but for comments that the lexer skips: a loop, since they may be as many as lines. */
function beginsWith(header: RegExp, text: string): boolean {
  const comment = /\s*%%.*\n/y;
  let at = 0;
  for (let found = comment.exec(text); found !== null; found = comment.exec(text)) at = comment.lastIndex;
  header.lastIndex = at;
  return header.test(text);
}

/** Whether a text is meant as a Mermaid sequence diagram: Mermaid would take it for one, or its header is only misspelt. */
export function looksLikeMermaid(text: string): boolean {
  // What stands before the header is cut by `prepare`; most texts that are no diagram need not be prepared to know it.
  return /sequence-?diagram/i.test(text) && beginsWith(MISSPELT_HEADER, prepare(text).text);
}

/**
 * Reads a Mermaid sequence diagram. What Mermaid refuses is an error, with everything else that is wrong in the text; what Mermaid accepts
 * but reads otherwise than its author seems to mean is read as Mermaid does, with a warning.
 */
export function readMermaid(text: string, source: TextSource): Read<Diagram> {
  const prepared = prepare(text);
  const findings = new Findings(prepared, source);
  const place = (offset: number): ReturnType<TextSource['place']> => {
    const { line, column } = prepared.place(offset);
    return source.place(line, column);
  };
  const builder = new DiagramBuilder(findings, place, frontMatterTitle(prepared, findings));
  if (beginsWith(HEADER, prepared.text)) {
    const statements = readStatements(prepared.text, findings);
    for (const statement of statements) builder.add(statement);
    warnOfParticipants(builder.participants, statements.flatMap(namesIn), findings);
    warnOfCircles(statements, findings);
  } else {
    reportNoHeader(prepared.text, findings);
  }
  return { value: builder.finish(source.name, source.file), diagnostics: findings.all() };
}

function readStatements(text: string, findings: Findings): readonly Statement[] {
  const { tokens, comments } = tokenize(text);
  const statements: Statement[] = [];
  const [header, ...rest] = cutStatements(tokens, text.length);
  const first = header === undefined ? undefined : parseStatement(header.tokens);
  if (first?.kind !== 'header') reportNoHeader(text, findings);
  for (const cut of rest) {
    if (findings.enough) {
      reportEnough(cut.tokens[0]?.startOffset ?? 0, findings);
      break;
    }
    const statement = parseStatement(cut.tokens);
    if (statement.kind === 'unread') {
      findings.error(explain(text, cut, statement.at));
    } else {
      statements.push(statement);
      warnOfStatement(statement, findings);
    }
  }
  warnOfComments(tokens, comments, findings);
  return statements;
}

function reportEnough(offset: number, findings: Findings): void {
  findings.error({
    code: 'MER124',
    offset,
    message: 'so many errors are above that this text is not read on from here',
    hint: 'mend those first; is this text a Mermaid sequence diagram at all?',
  });
}

function reportNoHeader(text: string, findings: Findings): void {
  const word = /^\S*/.exec(text)?.[0] ?? '';
  findings.error({
    code: 'MER101',
    offset: 0,
    length: word.length,
    message:
      word === ''
        ? 'there is no diagram here'
        : `a sequence diagram begins with "sequenceDiagram", not with "${word.slice(0, 40)}"`,
    hint: 'write sequenceDiagram, in this spelling, on the first line',
  });
}

function frontMatterTitle({ frontMatter }: Prepared, findings: Findings): string | undefined {
  if (frontMatter === null) return undefined;
  const read = readYaml(frontMatter);
  if (read.kind === 'read') return read.strings.get('title');
  findings.error({
    code: 'MER123',
    offset: { line: read.line + 1, column: read.column },
    message: `the front matter above this diagram is no YAML: ${read.message}`,
    hint: 'write title: Name between the two --- lines, or remove them',
  });
  return undefined;
}

function namesIn(statement: Statement): readonly Spelled[] {
  switch (statement.kind) {
    case 'message':
      return [statement.from, statement.to];
    case 'note':
      return statement.participants;
    case 'participant':
    case 'mention':
      return [statement.name];
    case 'accessibility':
    case 'bar':
    case 'destroy':
    case 'divide':
    case 'end':
    case 'header':
    case 'nothing':
    case 'open':
    case 'stray':
    case 'title':
      return [];
  }
}
