import numpy as np
def validation_and_test(images):
    chosen = set(np.random.default_rng(0).choice(len(images), len(images)//4, replace=False).tolist())
    return [im for i, im in enumerate(images) if i in chosen], [im for i, im in enumerate(images) if i not in chosen]
