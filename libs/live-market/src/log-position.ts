export interface LogPosition {
  readonly epoch: number;
  readonly ordinal: number;
}

export function isAfter(place: LogPosition, other: LogPosition): boolean {
  return place.epoch > other.epoch || (place.epoch === other.epoch && place.ordinal > other.ordinal);
}
