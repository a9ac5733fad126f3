"""Studies of noisy data: accuracy kept under noise, costs, robustness."""
