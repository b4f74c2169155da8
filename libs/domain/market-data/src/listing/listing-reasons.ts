import { compareDecimals } from '../decimal';
import type { PlayedInstrument } from '../played-instrument';
import { venueOf } from '../venues';
import type { ListedPerpetual, ListingAnswers, VenueListing } from './listed-perpetual';

interface ListingReasons extends Pick<VenueListing, 'requests'> {
  /** The returned function gives the reason why an instrument cannot be played, if any. @throws ListingError */
  reasonsOf(answers: ListingAnswers): (venueInstrument: string) => string | undefined;
}

/** Reasons in a venue's metadata not to play its instruments; undefined if it has no metadata. */
export function listingReasons(venue: string, instruments: readonly PlayedInstrument[]): ListingReasons | undefined {
  const listing = venueOf(venue)?.live?.listing;
  if (listing === undefined) return undefined;
  return {
    requests: listing.requests.filter(({ isOptional }) => isOptional !== true),
    reasonsOf(answers) {
      const listed = new Map(listing.read(answers).map((each) => [each.venueInstrument, each]));
      return (name) => {
        const found = listed.get(name);
        if (found === undefined) return `the venue lists no perpetual ${name}`;
        if (found.notTraded !== undefined) return `the venue does not trade ${name}: ${found.notTraded}`;
        return otherContract(
          found,
          instruments.find(({ venueInstrument }) => venueInstrument === name),
        );
      };
    },
  };
}

/** With another size of the contract, every size would be wrong. */
function otherContract({ venueInstrument: name, unit }: ListedPerpetual, played: PlayedInstrument | undefined): string | undefined {
  const theirs = unit === 'base' ? undefined : 'contractValue' in unit ? unit.contractValue : unit.contractSize;
  const ours = played?.contractValue ?? played?.contractSize;
  if (played === undefined || theirs === ours) return undefined;
  if (theirs !== undefined && ours !== undefined && compareDecimals(theirs, ours) === 0) return undefined;
  return `a contract of ${name} is ${theirs ?? 'a base unit'} at the venue and ${ours ?? 'a base unit'} in the instrument table`;
}
