// Sets the theme before the first paint: the user's choice, or else the system's.
(function () {
  var system = matchMedia('(prefers-color-scheme: light)');
  function apply() {
    var chosen = null;
    try {
      chosen = localStorage.getItem('theme');
    } catch {
      chosen = null;
    }
    document.documentElement.dataset.theme = chosen === 'light' || chosen === 'dark' ? chosen : system.matches ? 'light' : 'dark';
  }
  apply();
  system.addEventListener('change', apply);
})();
