import { describe, expect, test } from '@jest/globals';
import { formatLabelSelector, matchesFields, matchesLabels, parseFieldSelector, parseLabelSelector } from './index.ts';
import type { LabelSelector } from './index.ts';

const labels = { app: 'web', tier: 'front', empty: '' };

function matches(text: string, of: Record<string, string> | undefined = labels): boolean | string {
  const parsed = parseLabelSelector(text);
  return parsed.ok ? matchesLabels(parsed.value, of) : parsed.message;
}

describe('label selectors', () => {
  test.each<[string, boolean]>([
    ['', true],
    ['app=web', true],
    ['app==web', true],
    ['app = web', true],
    ['app=db', false],
    ['app!=db', true],
    ['app!=web', false],
    ['absent!=web', true],
    ['empty=', true],
    ['app in (db, web)', true],
    ['app in (db)', false],
    ['app notin (db)', true],
    ['absent notin (db)', true],
    ['app notin (db,web)', false],
    ['app', true],
    ['absent', false],
    ['!absent', true],
    ['! app', false],
    ['app in (web,db),tier=front,!absent', true],
    ['app in (web,db),tier=back', false],
  ])('%j matches app=web,tier=front,empty=: %j', (text, expected) => {
    expect(matches(text)).toBe(expected);
  });

  test.each(['=x', 'a=b=c', 'app in web', 'app in (a', 'a b', 'app=we b', ',', '!'])('%j is refused', (text) => {
    expect(matches(text)).toMatch(/^unable to parse requirement/);
  });

  test('inherited properties are no labels', () => {
    expect(matches('constructor', {})).toBe(false);
    expect(matches('!toString', {})).toBe(true);
  });

  test('what is formatted is read as the same', () => {
    const selector: LabelSelector = {
      matchLabels: { app: 'web' },
      matchExpressions: [
        { key: 'tier', operator: 'In', values: ['a', 'b'] },
        { key: 'env', operator: 'NotIn', values: ['prod'] },
        { key: 'x', operator: 'Exists' },
        { key: 'y', operator: 'DoesNotExist' },
      ],
    };
    const text = formatLabelSelector(selector);
    expect(text).toBe('app=web,tier in (a,b),env notin (prod),x,!y');
    for (const of of [
      { app: 'web', tier: 'a', x: '' },
      { app: 'web', tier: 'a' },
      { app: 'web', tier: 'c', x: '' },
    ]) {
      expect(matches(text, of)).toBe(matchesLabels(selector, of));
    }
  });
});

describe('field selectors', () => {
  const pod = {
    metadata: { name: 'web-1', namespace: 'default' },
    spec: { nodeName: 'n1', hostNetwork: true },
    status: { phase: 'Running', note: 'a,b=c\\d' },
  };
  const selects = (text: string): boolean | string => {
    const parsed = parseFieldSelector(text);
    return parsed.ok ? matchesFields(parsed.value, pod) : parsed.message;
  };

  test.each<[string, boolean]>([
    ['', true],
    ['metadata.name=web-1', true],
    ['metadata.name==web-1', true],
    ['metadata.name!=web-1', false],
    ['spec.nodeName=', false],
    ['spec.nodeName!=', true],
    ['spec.absent=', true],
    ['spec.hostNetwork=true', true],
    ['spec=', true],
    ['spec.nodeName=n1,status.phase!=Succeeded,status.phase!=Failed', true],
    ['spec.nodeName=n1,status.phase!=Running', false],
    ['status.note=a\\,b\\=c\\\\d', true],
  ])('%j selects: %j', (text, expected) => {
    expect(selects(text)).toBe(expected);
  });

  test.each(['name', '=x', 'a=b,', 'a b=c'])('%j is refused', (text) => {
    expect(selects(text)).toMatch(/^invalid field selector/);
  });
});
