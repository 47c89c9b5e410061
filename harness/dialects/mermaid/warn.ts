import { tokenMatcher } from 'chevrotain';
import type { Participant } from '../../diagram/index.ts';
import { excerpt, type Findings } from './findings.ts';
import type { Comment } from './lexer.ts';
import type { Spelled, Statement } from './statements.ts';
import * as t from './tokens.ts';

/** An arrow between two words and a colon behind: a message, wherever it stands. */
const MESSAGE_LIKE = /\S\s*(?:<<)?--?(?:>>?|[x)])\s*[+-]?\s*[^\s:][^:\n]*:/i;

/** Only the beginning is looked at: the search starts anew at every arrow, and a line may be as long as the file. */
const looksLikeMessage = (text: string): boolean => MESSAGE_LIKE.test(text.slice(0, 1_000));

/** Warns of comments that swallow what their author may have meant: the end of a text, or a whole message. */
export function warnOfComments(comments: readonly Comment[], findings: Findings): void {
  for (const { image, startOffset, after } of comments) {
    const isText = after !== null && (tokenMatcher(after, t.Text) || tokenMatcher(after, t.Label));
    if (image.startsWith('#') && isText && after.startOffset + after.image.length === startOffset) {
      findings.warning({
        code: 'MER151',
        offset: startOffset,
        length: image.length,
        message: `the text ends here: "${excerpt(image)}" is a comment`,
        hint: 'write #35; for a # that belongs to the text',
      });
    } else if (looksLikeMessage(image)) {
      findings.warning({
        code: 'MER158',
        offset: startOffset,
        length: image.length,
        message: `this message is a comment and not drawn: "${excerpt(image)}"`,
        hint: 'write %% at the beginning of the line for a comment; a name cannot begin with # or %, nor hold %% after its first letter',
      });
    }
  }
}

/** Warns of what one statement says otherwise than it seems to. */
export function warnOfStatement(statement: Statement, findings: Findings): void {
  const { offset } = statement;
  if (statement.kind === 'title' && (looksLikeMessage(statement.text) || statement.text.includes('\n'))) {
    findings.warning({
      code: 'MER153',
      offset,
      message: `all of this is the title, no message: "${excerpt(statement.text.slice(6))}"`,
      hint: 'a participant whose name begins with "title" needs another name; a title stands on the same line',
    });
  }
  if (statement.kind === 'accessibility') warnOfAccessibility(statement.text, offset, findings);
  if (statement.kind === 'stray') {
    findings.warning({
      code: 'MER156',
      offset,
      length: 1,
      message: `Mermaid ignores "${statement.text}" here, and reads what follows without it`,
      hint: 'remove it; a name cannot begin with / \\ ( ) < or >',
    });
  }
  if (statement.kind === 'open' || statement.kind === 'divide') warnOfLabel(statement.label, offset, findings);
  if (statement.kind === 'message') warnOfText(statement.text, offset, findings);
  if (statement.kind === 'message') warnOfLinkNames([statement.from, statement.to], findings);
  if (statement.kind === 'note') warnOfLinkNames(statement.participants, findings);
  if (statement.kind === 'participant') warnOfDeclaration(statement, findings);
  if (statement.kind === 'bar' || statement.kind === 'destroy') warnOfCommentInName(statement.name, findings);
}

/** `accTitle:` takes the next line if its own is empty; `accDescr {` takes everything up to the next `}`. */
function warnOfAccessibility(text: string, offset: number, findings: Findings): void {
  const isBlock = /^accDescr\s*\{/i.test(text);
  const swallows = isBlock ? !text.endsWith('}') : text.includes('\n') || looksLikeMessage(text);
  if (!swallows) return;
  findings.warning({
    code: 'MER153',
    offset,
    message: `all of this is the text for screen readers, no message: "${excerpt(text.replace(/^\w+\s*[:{]/, ''))}"`,
    hint: isBlock ? 'close the description with }' : 'write the text on the same line, behind the colon',
  });
}

const LINK_WORD = /^(?:links?|properties|details)\b/i;

function warnOfLinkNames(names: readonly Spelled[], findings: Findings): void {
  for (const { text, offset } of names) {
    if (LINK_WORD.test(text)) warnOfMermaid11(offset, text, 'begins a statement', findings);
  }
}

function warnOfMermaid11(offset: number, text: string, why: string, findings: Findings): void {
  findings.warning({
    code: 'MER171',
    offset,
    length: text.length,
    message: `Mermaid 12 reads this, Mermaid 11 refuses it: "${excerpt(text)}" ${why} there`,
    hint: `choose another name if the drawing must show everywhere: participant ${text.replace(/\W/g, '')}1 as ${excerpt(text)}`,
  });
}

function warnOfLabel(label: string, offset: number, findings: Findings): void {
  const keywordAsName = /^\s*--?(?:>>?|[x)])\s*\S/i.test(label);
  if (!keywordAsName && !looksLikeMessage(label)) {
    warnOfCommentInLabel(label, offset, findings);
    return;
  }
  findings.warning({
    code: 'MER159',
    offset,
    message: `the message on this line is part of the label: "${excerpt(label)}"`,
    hint: keywordAsName
      ? 'a participant cannot have the name of a block: choose another name and show this one in its label'
      : 'put the message on its own line',
  });
}

function warnOfText(text: string, offset: number, findings: Findings): void {
  const accident = /\uFDD0\w+\uFDD1(.*)/s.exec(text)?.[1];
  if (accident === undefined || !looksLikeMessage(accident)) return;
  findings.warning({
    code: 'MER152',
    offset,
    message: `the message after the semicolon is part of this text: "${excerpt(accident)}"`,
    hint: '# with a word and ; is an entity code: write #35; for the #, and put the second message on its own line',
  });
}

function warnOfCommentInLabel(label: string, offset: number, findings: Findings): void {
  const comment = /(?:^|\s)%%.*/s.exec(label)?.[0];
  if (comment === undefined) return;
  findings.warning({
    code: 'MER163',
    offset,
    message: `the comment is part of the label: "${excerpt(comment)}"`,
    hint: 'put the comment on its own line, behind %%',
  });
}

function warnOfDeclaration(
  { name, label, metadata }: Extract<Statement, { readonly kind: 'participant' }>,
  findings: Findings,
): void {
  const { text, offset } = name;
  const length = text.length;
  if (metadata !== null && (/[-=]/.test(text) || metadata.offset - '@{'.length > offset + length)) {
    warnOfMermaid11(offset, text, 'has a dash or = in it, or a blank behind it, and @{ follows', findings);
  }
  if (/\sas\s/i.test(text)) {
    findings.warning({
      code: 'MER154',
      offset,
      length,
      message: `all of "${excerpt(text)}" is the name: only a name without blanks can have a label`,
      hint: `give it a short name: participant ${text.replace(/\s+as\s.*/is, '').replace(/\W/g, '') || 'A'} as ...`,
    });
  } else if (label !== null && /^["'].*["']$/s.test(text)) {
    findings.warning({
      code: 'MER168',
      offset,
      length,
      message: `the quotes are part of the name: ${excerpt(text)}`,
      hint: `the name stands first and without quotes, what is shown behind it: participant ${text.replace(/\W/g, '') || 'A'} as ${excerpt(label)}`,
    });
  } else {
    warnOfCommentInName(name, findings);
  }
}

function warnOfCommentInName({ text, offset }: Spelled, findings: Findings): void {
  if (!/\s(?:%%|#)/.test(text)) return;
  findings.warning({
    code: 'MER163',
    offset,
    length: text.length,
    message: `the comment is part of the name: "${excerpt(text)}"`,
    hint: 'put the comment on its own line, behind %%',
  });
}

/** Warns of `Foo()->>B` where nobody declares Foo: the author may mean a function's name. */
export function warnOfCircles(circled: readonly Spelled[], declared: ReadonlySet<string>, findings: Findings): void {
  for (const { text, offset } of circled) {
    if (declared.has(text)) continue;
    findings.warning({
      code: 'MER161',
      offset,
      length: text.length + '()'.length,
      message: `"()" is no part of the name: it draws a circle at "${excerpt(text)}"`,
      hint: `for the circle, declare participant ${excerpt(text)}; for the name, write ${excerpt(text)} ( )`,
    });
  }
}

/** Tells of the only participant that is not declared: it may be another one, misspelt, and is warned of where it seems so. */
export function tellOfUndeclared(
  declared: ReadonlySet<string>,
  firstNames: ReadonlyMap<string, Spelled>,
  findings: Findings,
): void {
  const undeclared = [...firstNames.values()].filter(({ text }) => !declared.has(text));
  const [only, more] = undeclared;
  if (only === undefined || more !== undefined) return;
  const meant = [...declared].find((name) => isSlip(name, only.text));
  const finding = {
    code: 'MER172',
    offset: only.offset,
    length: only.text.length,
    message: `"${excerpt(only.text)}" is the only participant that is not declared`,
    hint:
      meant === undefined
        ? `declare it if it is meant: participant ${excerpt(only.text)}`
        : `did you mean "${excerpt(meant)}"? Else declare it: participant ${excerpt(only.text)}`,
  };
  // Actors are often left undeclared on purpose, so without a likeness this is a remark.
  if (meant === undefined) findings.info(finding);
  else findings.warning(finding);
}

/** Whether two names differ by one letter that is missing, wrong, or has changed its place with the next. */
function isSlip(name: string, other: string): boolean {
  const [long, short] = name.length >= other.length ? [name, other] : [other, name];
  if (long.length - short.length > 1 || short.length < 2) return false;
  let start = 0;
  while (start < short.length && long[start] === short[start]) start++;
  const [rest, others] = [long.slice(start), short.slice(start)];
  if (rest.slice(1) === others || rest.slice(1) === others.slice(1)) return true;
  return rest.slice(2) === others.slice(2) && rest[0] === others[1] && rest[1] === others[0];
}

/** Warns of participants that came into being by a slip: another one's label used as a name, or a near-double. */
export function warnOfParticipants(
  participants: ReadonlyMap<string, Participant>,
  firstNames: ReadonlyMap<string, Spelled>,
  findings: Findings,
): void {
  const labels = new Map<string, string>();
  const folded = new Map<string, string>();
  for (const { id, label } of participants.values()) {
    if (label !== id && !labels.has(label)) labels.set(label, id);
  }
  for (const [id, { text, offset }] of firstNames) {
    const fold = id.replace(/[\s"'\u200B-\u200D\uFEFF]/g, '').toLowerCase();
    const double = folded.get(fold);
    const named = labels.get(id);
    if (named !== undefined && participants.get(id)?.label === id) {
      findings.warning({
        code: 'MER155',
        offset,
        length: text.length,
        message: `"${excerpt(id)}" is only the label of "${excerpt(named)}"; used as a name it is another participant`,
        hint: `write ${excerpt(named)} in messages`,
      });
    } else if (double !== undefined) {
      findings.warning({
        code: 'MER164',
        offset,
        length: text.length,
        message: `"${excerpt(id)}" and "${excerpt(double)}" are two participants that differ by case, blanks or quotes only`,
        hint: 'spell the name the same way everywhere',
      });
    } else if (participants.has(`${id}-`)) {
      findings.warning({
        code: 'MER160',
        offset,
        length: text.length,
        message: `this is "${excerpt(id)}", and not "${excerpt(id)}-": a dash before an arrow belongs to the arrow`,
        hint: `leave the dash out of the name, or put a blank behind it: ${excerpt(id)}- ->>`,
      });
    } else if (/^[[\]]$/.test(id)) {
      findings.warning({
        code: 'MER165',
        offset,
        length: text.length,
        message: `"${id}" is a participant to Mermaid, not the edge of the drawing`,
        hint: 'name who sends or receives, for example Client',
      });
    }
    if (!folded.has(fold)) folded.set(fold, id);
  }
}
