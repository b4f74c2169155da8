import { accountAnswer } from '../../serving/answers/account-answer';
import type { Handler } from '../../serving/answers/handler';
import type { AccountDeps } from './account-deps';
import { fromAccount } from './body-faults';

export function requestPasswordReset({ people }: AccountDeps): Handler<'requestPasswordReset'> {
  return async (call) => {
    const { email } = call.input.body;
    const { mailToFolder } = await fromAccount(people.call.requestPasswordReset({ email, address: call.address }));
    return accountAnswer(
      call,
      { accepted: true, mail_delivery: mailToFolder ? 'outbox_folder' : 'mail_server' },
      mailToFolder
        ? 'If an account has this address, its mail is in the outbox folder of this installation, which has no mail server.'
        : 'If an account has this address, a mail is on its way to it.',
    );
  };
}
