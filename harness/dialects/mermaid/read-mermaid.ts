import type { Read } from '../../diagnostics/index.ts';
import type { Diagram, TextSource } from '../../diagram/index.ts';
import { DiagramBuilder } from './build.ts';
import { explain } from './explain.ts';
import { Findings } from './findings.ts';
import { cutStatements, parseStatement } from './grammar.ts';
import { readYaml } from './metadata.ts';
import type { Comment } from './lexer.ts';
import { type Prepared, prepare, withoutDirectives } from './prepare.ts';
import type { Spelled } from './statements.ts';
import { tokenize } from './tokens.ts';
import { warnOfCircles, warnOfComments, warnOfParticipants, warnOfStatement, tellOfUndeclared } from './warn.ts';

/** Fewer declarations say nothing: their author may declare only what needs a label. */
const DECLARATIONS_MIN = 2;

const HEADER = /\s*sequenceDiagram/y;
const MISSPELT_HEADER = /\s*sequence-?diagram/iy;

/** Whether a header stands first, but for comments that the lexer skips: a loop, since they may be as many as lines. */
function beginsWith(header: RegExp, prepared: string): boolean {
  const text = withoutDirectives(prepared);
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
    readStatements(prepared.text, builder, findings);
    warnOfParticipants(builder.participants, builder.firstNames, findings);
  } else {
    reportNoHeader(prepared.text, findings);
  }
  return { value: builder.finish(source.name, source.file), diagnostics: findings.all() };
}

/** Statement by statement, nothing kept of them: a long text costs little more than its diagram. */
function readStatements(text: string, builder: DiagramBuilder, findings: Findings): void {
  const comments: Comment[] = [];
  const circled: Spelled[] = [];
  const declared = new Set<string>();
  // What a message creates must be declared, so that says nothing of the author's habit.
  let declarations = 0;
  let first = true;
  for (const cut of cutStatements(tokenize(text, comments), text.length)) {
    if (builder.tooDeep) break;
    if (findings.enough) {
      reportEnough(cut.tokens[0]?.startOffset ?? 0, findings);
      break;
    }
    const statement = parseStatement(cut.tokens);
    if (first && statement.kind !== 'header') reportNoHeader(text, findings);
    else if (statement.kind === 'unread') findings.error(explain(text, cut, statement.at));
    else if (!first) {
      builder.add(statement);
      warnOfStatement(statement, findings);
      if (statement.kind === 'participant') {
        declared.add(statement.name.text);
        if (!statement.created) declarations += 1;
      }
      if (statement.kind === 'message' && statement.gluedCircle) circled.push(statement.from);
    }
    first = false;
  }
  warnOfCircles(circled, declared, findings);
  if (declarations >= DECLARATIONS_MIN) tellOfUndeclared(declared, builder.firstNames, findings);
  warnOfComments(comments, findings);
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
