// The least that Node needs to answer: `/<size>` gives so many constant bytes.
const { createServer } = require('node:http');

const bodies = new Map();

function bodyOf(size) {
  const known = bodies.get(size);
  if (known !== undefined) return known;
  const made = Buffer.alloc(size, 0x61);
  bodies.set(size, made);
  return made;
}

const server = createServer((request, response) => {
  const body = bodyOf(Number(request.url.slice(1)));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
});

server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
