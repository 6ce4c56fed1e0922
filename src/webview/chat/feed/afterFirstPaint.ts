export { FeedTools, JumpButton } from './FeedTools';
export { RecentSessions, SetupOffers, Suggestions } from './StartOffers';
