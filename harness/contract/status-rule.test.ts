import { expect, test } from '@jest/globals';
import { readStatusRule } from './status-rule.ts';

const success = { kind: 'success' };
const error = { kind: 'error' };
const exact = (status: number) => ({ kind: 'exact', status });

test.each([
  ['Return ReplicaSet object (201 Created)', exact(201)],
  ['return status object (200 OK)', exact(200)],
  ['return status object   200 OK ', exact(200)],
  ['200 OK, with a body', exact(200)],
  ['HTTP/1.1 404 Not Found', exact(404)],
  ['status: 409', exact(409)],
  ['204', exact(204)],
  ['200 approved', exact(200)],
  ['402 declined', exact(402)],
  ['404 no such user', exact(404)],
  ['404 not found', exact(404)],
  ['429 slow down', exact(429)],
  ['200 success', exact(200)],
  ['201 order created', exact(201)],
  ['Acknowledge write (OK)', success],
  ['Acknowledge delete (OK)', success],
  ['ok', success],
  ['ACK', success],
  ['success!', success],
  ['login failed', error],
  ['Error', error],
  ['return pod object', undefined],
  ['return status   running', undefined],
  ['return container id   xxxxxxxx', undefined],
  ['Return Pod list', undefined],
  ['200 rows', undefined],
  ['500 new items', exact(500)],
  ['user id 123', undefined],
  ['version 1.200', undefined],
  ['port :404', undefined],
  ['success or error', undefined],
  ['no error', undefined],
  ['broken', undefined],
  ['book', undefined],
  ['', undefined],
])('the text %j promises the right status', (text, rule) => {
  expect(readStatusRule(text)).toEqual(rule);
});
