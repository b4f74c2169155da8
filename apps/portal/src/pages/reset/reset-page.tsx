import { LostLink } from '../../account/lost-link';
import { useMailedLink } from '../../account/mailed-token';
import { AskForMail } from './ask-for-mail';
import { SetPassword } from './set-password';

/** Asks for the mail, or takes the token of its link and sets a new password. */
export default function ResetPage() {
  const { token, isLost } = useMailedLink('reset_token');
  if (isLost)
    return (
      <LostLink>
        <p>
          The link works once, for 30 minutes, and only the newest one works. After that, <a href="/reset">ask for another</a>.
        </p>
      </LostLink>
    );
  return token === '' ? <AskForMail /> : <SetPassword key={token} token={token} />;
}
