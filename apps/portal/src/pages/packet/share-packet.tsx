import { onForm } from '../../account/form';
import { Table } from '../../controls/table';
import type { Params, Schemas } from '@market-state/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { ProblemNotice } from '../../status-components/conditions';
import { ChangeButton, SpendButton, CopyButton } from '../../controls/buttons';
import { marketNamed, marketOfPacket, marketWords } from '../../packets/market-name';
import dialog from '../../controls/dialog.module.css';
import { DialogActions, Modal } from '../../controls/dialog';
import { read, service } from '../../service/client';
import { readPages } from '../../service/read-pages';
import sheet from '../../theme/sheet.module.css';
import { clock } from '../../time/clock';
import type { Packet } from './packet-queries';
import { StateMark } from '../../charts/state-mark';
import styles from './packet.module.css';

interface ShareListProps {
  readonly shares: readonly Schemas['ShareRecord'][];
  readonly isBusy: boolean;
  readonly onRevoke: (shareId: string) => void;
}

function ShareList({ shares, isBusy, onRevoke }: ShareListProps) {
  if (shares.length === 0) return <p className={styles['soft']}>None yet.</p>;
  return (
    <Table
      scroll="Shares"
      rows={shares}
      keyOf={(share) => share.share_id}
      columns={[
        {
          head: 'Packet',
          cell: (share) => (
            <>
              <StateMark state={share.state} /> <a href={share.routes.page}>{marketWords(marketNamed(share).symbol)}</a>{' '}
              {clock(share.window_end_utc)}
            </>
          ),
        },
        { head: 'Status', cell: (share) => shownWords(share) },
        {
          head: 'Revoke',
          cell: (share) =>
            share.share_state === 'active' ? (
              <ChangeButton disabled={isBusy} onClick={() => onRevoke(share.share_id)}>
                Revoke
              </ChangeButton>
            ) : null,
        },
      ]}
    />
  );
}

function shownWords({ share_state: state, expires_at_utc: expires, revoked_at_utc: revoked }: Schemas['ShareRecord']): string {
  switch (state) {
    case 'active':
      return `until ${clock(expires)}`;
    case 'expired':
      return `expired ${clock(expires)}`;
    case 'revoked':
      return `revoked ${clock(revoked ?? expires)}`;
    default:
      return 'hidden by this installation';
  }
}

type Share = Schemas['ShareRecord'];

const DAYS = [1, 7, 30, 90] as const;
const COST = 'costs at most 1 credit';

export function SharePacket({ packet }: { readonly packet: Packet }) {
  const [isOpen, setIsOpen] = useState(false);
  const close = useCallback(() => setIsOpen(false), []);
  return (
    <section aria-label="Share">
      <h2>Share</h2>
      <p>A link shows this packet without a key, and the reader&apos;s browser verifies it.</p>
      <p className={sheet['actions']}>
        <button type="button" onClick={() => setIsOpen(true)}>
          Share this packet…
        </button>
      </p>
      {isOpen ? <ShareDialog packet={packet} onClose={close} /> : null}
    </section>
  );
}

const SHARES = ['shares'] as const;

function useShares(enabled: boolean) {
  return useQuery({
    queryKey: SHARES,
    queryFn: ({ signal }) => readPages(service.shares.rows({ limit: 100 }, { signal }), (page) => page.shares),
    enabled,
  });
}

function ShareDialog({ packet, onClose }: { readonly packet: Packet; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const [made, setMade] = useState<Share | null>(null);
  const [isListed, setIsListed] = useState(false);
  const shares = useShares(isListed);
  const refresh = () => queries.invalidateQueries({ queryKey: SHARES });
  const create = useMutation({
    mutationFn: (wish: Params<'createShare'>) => read(service.shares.create(wish)),
    onSuccess(share) {
      setMade(share);
      return refresh();
    },
  });
  const revoke = useMutation({
    mutationFn: (shareId: string) => read(service.shares.revoke({ share_id: shareId })),
    onSuccess: refresh,
  });
  const submit = onForm((form) => create.mutate({ event_id: packet.event_id, days: Number(form.get('days')) }));
  return (
    <Modal title="Share this packet" onClose={onClose}>
      <div className={dialog['form']}>
        {made === null ? (
          <form onSubmit={submit} className={dialog['form']}>
            <p>
              Anyone with the link can see this packet of {marketWords(marketOfPacket(packet))} in full with its proof, but nothing else of
              your account, and not who shared it. After it expires, the proof remains: ids, window, digests, signature and key. You can
              revoke the link at any time.
            </p>
            <fieldset>
              <legend>Link valid for</legend>
              {DAYS.map((days) => (
                <label key={days}>
                  <input type="radio" name="days" value={days} defaultChecked={days === 30} /> {days === 1 ? '1 day' : `${days} days`}
                </label>
              ))}
            </fieldset>
            <ProblemNotice error={create.error} />
            <DialogActions action="Create link" isDisabled={create.isPending} cost={COST} onClose={onClose} />
          </form>
        ) : (
          <Made share={made} />
        )}
        <section className={dialog['form']} aria-label="Your shared packets">
          <h3>Your shared packets</h3>
          <ProblemNotice error={shares.error} retry={() => void shares.refetch()} />
          <ProblemNotice error={revoke.error} />
          {isListed && shares.data !== undefined ? (
            <ShareList shares={shares.data} isBusy={revoke.isPending} onRevoke={(shareId) => revoke.mutate(shareId)} />
          ) : (
            <p>
              <SpendButton
                action="Show list"
                busy="Loading…"
                creditsAtMost={service.creditsAtMost('listShares', {})}
                isBusy={isListed && shares.isPending}
                onPress={() => setIsListed(true)}
              />
            </p>
          )}
        </section>
        {made === null ? null : (
          <p className={sheet['actions']}>
            <button type="button" onClick={onClose}>
              Close
            </button>
          </p>
        )}
      </div>
    </Modal>
  );
}

function Made({ share }: { readonly share: Share }) {
  const link = location.origin + share.routes.page;
  const badge = location.origin + share.routes.badge;
  const alt = `Market state: ${share.state_label}, ${marketWords(marketNamed(share).symbol)}; check it`;
  const texts: readonly (readonly [string, string])[] = [
    ['Copy link', link],
    ['Copy badge (Markdown)', `[![${alt}](${badge})](${link})`],
    ['Copy badge (HTML)', `<a href="${link}"><img src="${badge}" alt="${alt}" height="20"></a>`],
  ];
  return (
    <div className={dialog['form']} role="group" aria-label="Link">
      <p role="status">
        Shared until <b>{clock(share.expires_at_utc)}</b>.
      </p>
      <p className={dialog['secret']}>
        <code>{link}</code>
      </p>
      <p>
        <img src={share.routes.badge} alt={alt} height="20" />
      </p>
      {texts.map(([label, text]) => (
        <p key={label} className={sheet['actions']}>
          <CopyButton text={text} label={label} />
        </p>
      ))}
    </div>
  );
}
