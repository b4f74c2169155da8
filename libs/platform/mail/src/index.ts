export {
  mailConfigOf,
  mailVariables,
  requireMailSender,
  createMailTransport,
  isMailRefused,
  type MailConfig,
  type MailText,
  type MailTransport,
} from './transport';
