import { OpenApiValidator } from 'express-openapi-validator/dist/openapi.validator';
import { operations } from '../openapi/operations';
import { createMountedValidators } from './mounted-validators';

const making = jest.spyOn(OpenApiValidator.prototype, 'installMiddleware');
afterAll(() => making.mockRestore());

it('makes every validator ahead, so that no first request has to wait for one', async () => {
  const validators = createMountedValidators();
  await validators.makeAhead(new AbortController().signal);
  expect(making).toHaveBeenCalled();
  making.mockClear();
  const routers = await Promise.all(operations.map((operation) => validators.of(operation)));
  expect(making).not.toHaveBeenCalled();
  expect(new Set(routers).size).toBeLessThan(operations.length);
});
