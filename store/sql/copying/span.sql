-- Between which moments was anything said of the sweep?
SELECT low_us, high_us FROM bounds
