import { useSearch } from 'wouter';
import { LoginForm } from '../../account/login-form';
import { afterLogin } from '../../pages';

export default function LoginPage() {
  return <LoginForm next={afterLogin(useSearch())} />;
}
