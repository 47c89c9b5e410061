import { type IToken, tokenMatcher } from 'chevrotain';
import type { Participant } from '../../diagram/index.ts';
import { decodeEntities } from './entities.ts';
import { excerpt, type Findings } from './findings.ts';
import type { Spelled, Statement } from './statements.ts';
import * as t from './tokens.ts';

/** An arrow between two words and a colon behind: a message, wherever it stands. */
const MESSAGE_LIKE = /\S\s*(?:<<)?--?(?:>>?|[x)])\s*[+-]?\s*[^\s:][^:\n]*:/i;

/** Only the beginning is looked at: the search starts anew at every arrow, and a line may be as long as the file. */
const looksLikeMessage = (text: string): boolean => MESSAGE_LIKE.test(text.slice(0, 1_000));

/** Warns of comments that swallow what their author may have meant: the end of a text, or a whole message. */
export function warnOfComments(tokens: readonly IToken[], comments: readonly IToken[], findings: Findings): void {
  const texts = tokens.filter((token) => tokenMatcher(token, t.Text) || tokenMatcher(token, t.Label));
  const ends = new Set(texts.map((token) => token.startOffset + token.image.length));
  for (const { image, startOffset } of comments) {
    if (image.startsWith('#') && ends.has(startOffset)) {
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
  if (statement.kind === 'participant') warnOfDeclaredName(statement.name, findings);
}

function warnOfLabel(label: string, offset: number, findings: Findings): void {
  const keywordAsName = /^\s*--?(?:>>?|[x)])\s*\S/i.test(label);
  if (!keywordAsName && !looksLikeMessage(label)) return;
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

function warnOfDeclaredName({ text, offset }: Spelled, findings: Findings): void {
  const length = text.length;
  if (/\sas\s/i.test(text)) {
    findings.warning({
      code: 'MER154',
      offset,
      length,
      message: `all of "${excerpt(text)}" is the name: only a name without blanks can have a label`,
      hint: `give it a short name: participant ${text.replace(/\s+as\s.*/is, '').replace(/\W/g, '') || 'A'} as ...`,
    });
  } else if (/\s(?:%%|#)/.test(text)) {
    findings.warning({
      code: 'MER163',
      offset,
      length,
      message: `the comment is part of the name: "${excerpt(text)}"`,
      hint: 'put the comment on its own line, behind %%',
    });
  }
}

/** Warns of participants that came into being by a slip: another one's label used as a name, or a near-double. */
export function warnOfParticipants(
  participants: ReadonlyMap<string, Participant>,
  uses: readonly Spelled[],
  findings: Findings,
): void {
  const labels = new Map<string, string>();
  const folded = new Map<string, string>();
  for (const { id, label } of participants.values()) {
    if (label !== id && !labels.has(label)) labels.set(label, id);
  }
  const seen = new Set<string>();
  for (const { text, offset } of uses) {
    const id = decodeEntities(text);
    if (seen.has(id)) continue;
    seen.add(id);
    const fold = id.replace(/[\s\u200B-\u200D\uFEFF]/g, '').toLowerCase();
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
        message: `"${excerpt(id)}" and "${excerpt(double)}" are two participants that differ by case or blanks only`,
        hint: 'spell the name the same way everywhere',
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
