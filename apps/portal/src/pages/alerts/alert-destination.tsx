import { Link } from 'wouter';
import records from '../../controls/records.module.css';
import { useEndpoints } from '../../service/use-endpoints';
import sheet from '../../theme/sheet.module.css';
import { destinationWords } from './destination-words';

export function AlertDestination({ symbols }: { readonly symbols: readonly string[] }) {
  const { data } = useEndpoints();
  if (data === undefined) return null;
  const { words, isNowhere } = destinationWords(data, symbols);
  if (!isNowhere) return <p className={sheet['soft']}>{words}</p>;
  return (
    <p role="status" className={sheet['fault']}>
      <b>{words}</b> <Link href="/webhooks?open=add">Set up a destination</Link>
    </p>
  );
}

export function NowhereMark({ symbols }: { readonly symbols: readonly string[] }) {
  const { data } = useEndpoints();
  if (data === undefined) return null;
  const { words, isNowhere } = destinationWords(data, symbols);
  return isNowhere ? (
    <span className={records['mark']} title={words}>
      not sent anywhere
    </span>
  ) : null;
}
