import type { Handler } from '../../serving/answers/handler';
import type { AccountDeps } from './account-deps';
import { fromAccount } from './body-faults';
import { sessionOpened } from './sign-in';

export function logIn({ signIn, cookie }: AccountDeps): Handler<'logIn'> {
  return async (call) => {
    const { email, password } = call.input.body;
    const { opened } = await fromAccount(signIn.call.login({ email, password, address: call.address }));
    return sessionOpened(call, cookie, opened);
  };
}
