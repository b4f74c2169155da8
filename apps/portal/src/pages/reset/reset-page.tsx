import { useMailedLink } from '../../account/mailed-token';
import { AskForMail } from './ask-for-mail';
import { SetPassword } from './set-password';

/** Asks for the mail, or takes the token of its link and sets a new password. */
export default function ResetPage() {
  const { token } = useMailedLink('reset_token');
  return token === '' ? <AskForMail /> : <SetPassword token={token} />;
}
