export { FeedTools } from './FeedTools';
export { JumpButton } from './JumpButton';
export { RecentSessions } from './RecentSessions';
export { SetupOffers } from './SetupOffers';
export { Suggestions } from './Suggestions';
