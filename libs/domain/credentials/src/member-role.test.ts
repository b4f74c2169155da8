import { includesRole, MEMBER_ROLES } from './member-role';

test.each([
  ['owner', [true, true, true]],
  ['member', [false, true, true]],
  ['read_only', [false, false, true]],
] as const)('%s includes of owner, member and read_only: %j', (held, expected) => {
  expect(MEMBER_ROLES.map((needed) => includesRole(held, needed))).toEqual(expected);
});
