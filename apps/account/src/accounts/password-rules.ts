import type { Fault } from '@market-state/errors';
import { lengthFaults } from '@market-state/request-checks';
import { isCommon } from './common-passwords';
import { localPartOf } from './email';

const LENGTH_MIN = 12;
const LENGTH_MAX = 256;

/** Names of the product, without what separates their words. */
const PRODUCT_NAME = 'marketstate';

/** A local part of one character is in almost every password. */
const LOCAL_PART_LENGTH_MIN = 2;

/** Everything that keeps a text from being the new password of an email's account. Any character may be in it. */
export function passwordFaults(field: string, password: string, email: string): Fault[] {
  const lengths = lengthFaults(field, password, LENGTH_MIN, LENGTH_MAX);
  if (lengths.some(({ type }) => type === 'too_long')) return lengths;
  return [
    ...lengths,
    ...(isCommon(password) ? [{ field, message: 'must not be a password that many people use', type: 'too_common' }] : []),
    ...(holdsLocalPart(password, email)
      ? [{ field, message: 'must not contain the part of the email before its @', type: 'contains_email' }]
      : []),
    ...(holdsProductName(password) ? [{ field, message: 'must not contain the name of the product', type: 'contains_product_name' }] : []),
  ];
}

function holdsLocalPart(password: string, email: string): boolean {
  const localPart = localPartOf(email).toLowerCase();
  return localPart.length >= LOCAL_PART_LENGTH_MIN && password.toLowerCase().includes(localPart);
}

function holdsProductName(password: string): boolean {
  return password
    .toLowerCase()
    .replace(/[\s._-]/g, '')
    .includes(PRODUCT_NAME);
}
