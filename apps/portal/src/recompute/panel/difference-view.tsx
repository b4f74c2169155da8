import { clock } from '../../time/clock';
import type { CheckedAnswer } from './check-lines';
import styles from './panel.module.css';

type Difference = NonNullable<CheckedAnswer['check']['firstDifference']>;

const PLACES: Readonly<Record<Difference['in'], string>> = {
  policy: 'the policy',
  checkpoint: 'the checkpoint',
  entries: 'the log',
  packet: 'the packet',
  signature: 'the signature',
};

/** The first thing that is not as the bundle says: where, what was computed here, what it says. */
export function DifferenceView({ difference }: { readonly difference: Difference }) {
  const { in: place, windowEndMs, path, ours, theirs, packetDigests: digests } = difference;
  return (
    <section className={styles['difference']} aria-label="First difference">
      <h3>
        First difference: {PLACES[place]}
        {windowEndMs === null ? '' : ` of the window to ${clock(windowEndMs)}`}
      </h3>
      <table>
        <thead>
          <tr>
            <th scope="col">
              <span className="visually-hidden">Place</span>
            </th>
            <th scope="col">Ours, computed here</th>
            <th scope="col">Theirs, in the bundle</th>
          </tr>
        </thead>
        <tbody>
          {digests === undefined ? null : <Row name="digest" ours={digests.ours} theirs={digests.theirs} />}
          <Row name={path} ours={shown(ours)} theirs={shown(theirs)} />
        </tbody>
      </table>
    </section>
  );
}

function Row({ name, ours, theirs }: { readonly name: string; readonly ours: string; readonly theirs: string }) {
  return (
    <tr>
      <th scope="row">
        <code>{name}</code>
      </th>
      <td data-column="Ours">
        <code>{ours}</code>
      </td>
      <td data-column="Theirs">
        <code>{theirs}</code>
      </td>
    </tr>
  );
}

function shown(value: unknown): string {
  return value === null ? 'nothing' : typeof value === 'string' ? value : JSON.stringify(value);
}
