// A trace endpoint that is not the reference implementation: it serves the NDJSON file named on its command line.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const lines = readFileSync(process.argv[2], 'utf8')
  .split('\n')
  .filter((line) => line !== '');

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  if (request.method !== 'GET' || url.pathname !== '/trace') {
    response.writeHead(404, { 'content-type': 'application/problem+json' });
    response.end(JSON.stringify({ type: 'about:blank', title: 'Not Found', status: 404 }));
    return;
  }
  const after = Number(url.searchParams.get('after') ?? -1);
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  response.end(
    lines
      .filter((line) => JSON.parse(line).seq > after)
      .map((line) => `${line}\n`)
      .join(''),
  );
});

server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
process.on('SIGTERM', () => server.close());
