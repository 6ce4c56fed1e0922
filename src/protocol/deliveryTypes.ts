/** Delivery report types and functions, for the view that keeps one and the host that compares it. */
export {
  beginsAs,
  emptyHash,
  hashFrom,
  hashOn,
  hashWord,
  type HashState,
  type DeliveryEntry,
} from '../transcript/deliveryEntry';
