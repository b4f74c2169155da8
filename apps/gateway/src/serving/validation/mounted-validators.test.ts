import Ajv from 'ajv/dist/core';
import { operations } from '../openapi/operations';
import { createMountedValidators } from './mounted-validators';

const schemas = vi.spyOn(Ajv.prototype, 'compile');
afterAll(() => schemas.mockRestore());

it('makes every validator ahead, so that no first request has to wait for one', async () => {
  const validators = createMountedValidators();
  await validators.makeAhead(new AbortController().signal);
  expect(schemas).toHaveBeenCalled();
  schemas.mockClear();
  const routers = await Promise.all(operations.map((operation) => validators.of(operation)));
  expect(schemas).not.toHaveBeenCalled();
  expect(new Set(routers).size).toBeLessThan(operations.length);
});
