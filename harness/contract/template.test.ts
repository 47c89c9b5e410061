import { describe, expect, test } from '@jest/globals';
import { findRequest, matchTemplate, printTemplate, readRequestLine, readTemplate } from './template.ts';
import type { UrlTemplate } from './types.ts';

function template(pattern: string): UrlTemplate {
  const read = readTemplate(pattern);
  if (read === null || 'error' in read) throw new Error(`no template: ${pattern}`);
  return read;
}

describe('a template matches a request of its form and captures what it names', () => {
  test.each([
    ['PUT /registry/pods/*/{pod}', 'PUT /registry/pods/default/web-1', { pod: 'web-1' }],
    ['PUT /registry/pods/*/{pod}', 'PUT /registry/pods/default/web-1/', { pod: 'web-1' }],
    ['PUT /registry/pods/*/{pod}', 'PUT /registry/pods/default/a%20b', { pod: 'a b' }],
    ['PUT /registry/pods/*/{pod}', 'PUT /registry/pods/default/50%', { pod: '50%' }],
    ['PUT /registry/pods/*/{pod}', 'POST /registry/pods/default/web-1', null],
    ['PUT /registry/pods/*/{pod}', 'PUT /registry/pods/default', null],
    ['PUT /registry/pods/*/{pod}', 'PUT /registry/pods/default/web-1/status', null],
    ['PUT /registry/pods/*/{pod}', 'PUT /registry/pods//web-1', null],
    ['GET /', 'GET /', {}],
    ['GET /a/{x}/b/{x}', 'GET /a/1/b/1', { x: '1' }],
    ['GET /a/{x}/b/{x}', 'GET /a/1/b/2', null],
    ['GET /pods?watch', 'GET /pods?fieldManager=kubectl&watch=true', {}],
    ['GET /pods?watch', 'GET /pods', null],
    ['GET /pods?watch=true', 'GET /pods?watch=false', null],
    ['GET /pods?labelSelector=app=my-app', 'GET /pods?labelSelector=app%3Dmy-app', {}],
    ['GET /pods', 'GET /pods?limit=500', {}],
    ['GET /a/{__proto__}', 'GET /a/1', { ['__proto__']: '1' }],
  ])('%s, %s', (pattern, label, captures) => {
    const request = readRequestLine(label);
    const found = request && matchTemplate(template(pattern), request.method, request.path, request.query);
    expect(found && [...found]).toEqual(captures && Object.entries(captures));
  });
});

test('a template is printed as it is written', () => {
  for (const pattern of ['PUT /registry/pods/*/{pod}', 'GET /', 'GET /pods?watch&limit=5'])
    expect(printTemplate(template(pattern))).toBe(pattern);
});

test.each([
  ['GET /pods/web-*', 11 - 1],
  ['GET /pods/{pod', 10],
  ['GET /pods/{pod}.json', 10],
  ['GET /pods/{two words}', undefined],
])('%s is no template', (pattern, offset) => {
  const read = readTemplate(pattern);
  if (offset === undefined) expect(read).toBeNull();
  else expect(read).toMatchObject({ error: expect.stringContaining('whole path segment'), offset });
});

test.each([
  ['Create Pod (POST /api/v1/namespaces/default/pods)', 'POST', '/api/v1/namespaces/default/pods', null],
  ['List (GET /api/v1/pods?labelSelector=app=my-app)', 'GET', '/api/v1/pods', 'labelSelector=app=my-app'],
  ['update status   PATCH /api/v1/pods/x/status ', 'PATCH', '/api/v1/pods/x/status', null],
  ['Get (GET /pods/{id});', 'GET', '/pods/{id}', null],
  ['then GET /pods.', 'GET', '/pods', null],
])('the request is found in the drawn text %s', (text, method, path, query) => {
  expect(findRequest(text)).toEqual({ method, path, query });
});

test.each(['create Pod', 'BUDGET /x', 'GET pods', 'get /pods', 'docker run ...'])(
  'there is no request in %s',
  (text) => {
    expect(findRequest(text)).toBeNull();
  },
);
