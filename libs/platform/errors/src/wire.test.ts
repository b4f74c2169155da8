import { GRPC_CODES, internal, invalidArgument, type ServiceError, toServiceError, unknownSymbol } from './service-error';
import { errorFromWire, errorToWire } from './wire';

function overTheWire(error: ServiceError): ServiceError {
  const wire = errorToWire(error);
  return errorFromWire({ code: GRPC_CODES[error.code], details: error.message, metadata: (key) => wire[key] });
}

test('an error crosses the wire with all that the caller may know', () => {
  const faults = [
    { field: 'depth', message: 'must be between 1 and 1000', type: 'out_of_range' },
    { field: 'symbol', message: 'must look like BTCUSD-PERP — “x” does not', type: 'malformed' },
  ];
  expect(overTheWire(invalidArgument(faults))).toMatchObject({ code: 'INVALID_ARGUMENT', reason: 'invalid_argument', faults });
  expect(overTheWire(unknownSymbol('X', ['A', 'B']))).toMatchObject({
    code: 'NOT_FOUND',
    reason: 'unknown_symbol',
    metadata: { symbols: 'A,B' },
  });
});

test('detail and cause stay in the process', () => {
  const crossed = overTheWire(internal({ detail: 'SELECT secret', cause: new Error('password') }));
  expect(crossed.detail).toBeUndefined();
  expect(crossed.cause).toBeUndefined();
  expect(JSON.stringify(errorToWire(internal({ detail: 'SELECT secret' })))).not.toContain('secret');
});

test('wire values are printable ASCII and bounded', () => {
  const faults = Array.from({ length: 500 }, (_unused, index) => ({ field: `f${index}`, message: 'é'.repeat(20), type: 'bad' }));
  const text = errorToWire(invalidArgument(faults))['x-error-faults'] ?? '';
  expect(text).toMatch(/^[ -~]+$/);
  expect(text.length).toBeLessThanOrEqual(5_000);
  expect(overTheWire(invalidArgument(faults)).faults.length).toBeGreaterThan(0);
});

test('a fault crosses the wire however long the input is that it quotes', () => {
  const faults = [
    { field: `params.${'é'.repeat(5_000)}`, message: `${'é'.repeat(5_000)} is none of a, b`, type: 'invalid' },
    { field: 'kind', message: 'must be one of a, b', type: 'invalid' },
  ];
  const [crossed] = overTheWire(invalidArgument(faults)).faults;
  expect(crossed?.field).toMatch(/^params\.é+…$/);
  expect(crossed?.message).toMatch(/^é+…$/);
  expect(errorToWire(invalidArgument(faults))['x-error-faults']?.length).toBeLessThanOrEqual(5_000);
});

test('of many faults those that fit cross the wire', () => {
  const faults = Array.from({ length: 500 }, (_unused, index) => ({ field: `f${index}`, message: 'is wrong', type: 'bad' }));
  const { length } = overTheWire(invalidArgument(faults)).faults;
  expect(length).toBeGreaterThan(80);
});

test.each([
  [14, 'UNAVAILABLE', 'upstream_unavailable'],
  [4, 'DEADLINE_EXCEEDED', 'upstream_deadline'],
  [1, 'CANCELLED', 'cancelled'],
  [8, 'RESOURCE_EXHAUSTED', 'message_too_large'],
  [12, 'UNIMPLEMENTED', 'unimplemented'],
  [13, 'INTERNAL', 'internal'],
  [2, 'INTERNAL', 'internal'],
  [99, 'INTERNAL', 'internal'],
])('transport failure %i is reported as %s with a sentence that names no host', (code, expected, reason) => {
  const error = errorFromWire({ code, details: 'connect ECONNREFUSED 10.0.0.1:443', metadata: () => undefined });
  expect(error).toMatchObject({ code: expected, reason, detail: 'connect ECONNREFUSED 10.0.0.1:443' });
  expect(error.message).not.toContain('10.0.0.1');
});

test('a reason outside the catalogue and broken JSON are not believed', () => {
  const values: Record<string, string> = { 'x-error-reason': 'made_up', 'x-error-faults': '{' };
  expect(errorFromWire({ code: 5, details: 'host', metadata: (key) => values[key] })).toMatchObject({
    code: 'INTERNAL',
    reason: 'internal',
    faults: [],
  });
});

test('anything thrown becomes a ServiceError', () => {
  expect(toServiceError(new TypeError('x is not a function'))).toMatchObject({ code: 'INTERNAL', detail: 'x is not a function' });
  expect(toServiceError('text')).toMatchObject({ code: 'INTERNAL', detail: 'text' });
});
