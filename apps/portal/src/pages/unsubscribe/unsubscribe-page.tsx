import { useMutation } from '@tanstack/react-query';
import { service } from '../../service/client';
import { AccountForm, AccountNote, LostLink } from '../../account/account-form';
import { forgetMailedLink, useMailedLink } from '../../account/mailed-link';

/** Opening the page changes nothing, as mail scanners open every link. */
export default function UnsubscribePage() {
  const { token, isLost } = useMailedLink('unsubscribe_token');
  const { mutate, isPending, error, isSuccess } = useMutation({
    mutationFn: () => service.webhooks.unsubscribe({ token }),
    onSuccess: forgetMailedLink,
  });
  if (isSuccess)
    return (
      <AccountNote title="Unsubscribe">
        <p>No more alerts are sent to your address.</p>
      </AccountNote>
    );
  if (isLost) return <LostLink>{null}</LostLink>;
  if (token === '')
    return (
      <AccountNote title="Unsubscribe">
        <p>Open this page by the link in an email.</p>
      </AccountNote>
    );
  return (
    <AccountForm title="Unsubscribe" action="Stop these emails" sending={{ isPending, error }} fields={[]} onSubmit={() => mutate()}>
      <p>Market-State alerts are no longer sent to your address until you confirm it again.</p>
    </AccountForm>
  );
}
