import { accountAnswer } from '../../serving/answers/account-answer';
import type { Handler } from '../../serving/answers/handler';
import type { AccountDeps } from './account-deps';
import { fromAccount } from './body-faults';
import { withSession } from './sign-in';

export function claimAccount({ signIn, cookie }: AccountDeps): Handler<'claimAccount'> {
  return async (call) => {
    const { email, password, api_key, claim_token } = call.input.body;
    const { opened, verificationSent, mailToFolder } = await fromAccount(
      signIn.call.claim({ email, password, apiKey: api_key, claimToken: claim_token, address: call.address }),
    );
    if (!verificationSent) return withSession(call, cookie, opened, { verification_sent: false });
    return accountAnswer(
      call,
      { verification_sent: true, mail_delivery: mailToFolder ? 'outbox_folder' : 'mail_server' },
      mailToFolder
        ? 'The mail for this address is in the outbox folder of this installation, which has no mail server. Follow its link to continue.'
        : 'A mail is on its way to this address. Follow its link to continue.',
    );
  };
}
